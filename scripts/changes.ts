import { changes } from './changes/all.ts'
import { proveChanges } from './changes/prove-changes.ts'

const help = `Usage: npm run changes

Makes one change of each kind in a copy of the sources, checks that it took, and prints how many files it touched.
Ends with 1 where one touches more than it may, or did not take.

  --look  print which of the examples the product here has already, and change nothing`

if (process.argv.includes('--help')) {
  console.log(help)
} else if (process.argv.includes('--look')) {
  const there: string[] = []
  for (const change of changes) if (await change.isThere()) there.push(change.task)
  console.log(JSON.stringify(there))
} else {
  const { proofs, faults } = await proveChanges(changes)
  for (const { task, files, limit, written, before, after } of proofs) {
    const isProved = !before && after && files.length <= limit
    const byCommand = written.length > 0 ? `; by a command: ${written.join(', ')}` : ''
    console.log(
      `${isProved ? 'ok  ' : 'FAIL'} ${task.padEnd(24)} ${files.length} of ${limit}  ${files.join(', ')}${byCommand}`,
    )
    if (!isProved) process.exitCode = 1
  }
  for (const fault of faults) {
    console.log(`\n${fault}`)
    process.exitCode = 1
  }
}
