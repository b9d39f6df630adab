import { listTexts } from './texts/list-texts.ts'
import { type Kind, kinds, type Text } from './texts/text.ts'

const help = `Usage: npm run texts [-- kind…] [--count]

Prints every text that a person reads, grouped by kind, each with its place. Without kinds: all of them.

${Object.entries(kinds)
  .map(([kind, what]) => `  ${kind.padEnd(9)} ${what}`)
  .join('\n')}

  --count   print only the number of texts of each kind`

const given = process.argv.slice(2)
const wanted = given.filter((it) => !it.startsWith('--'))
const unknown = wanted.filter((it) => !(it in kinds))
if (given.includes('--help')) {
  console.log(help)
} else if (unknown.length > 0) {
  console.error(`Unknown kind: ${unknown.join(', ')}.\n\n${help}`)
  process.exitCode = 2
} else {
  const texts = listTexts()
  const chosen = (Object.keys(kinds) as Kind[]).filter((it) => wanted.length === 0 || wanted.includes(it))
  for (const kind of chosen)
    print(
      kind,
      texts.filter((text) => text.kind === kind),
    )
}

function print(kind: Kind, texts: readonly Text[]): void {
  if (given.includes('--count')) {
    console.log(`${kind.padEnd(9)} ${String(texts.length).padStart(5)}  ${kinds[kind]}`)
    return
  }
  console.log(`\n## ${kind}: ${kinds[kind]} (${texts.length})`)
  let path = ''
  for (const text of texts) {
    if (text.path !== path) console.log(`\n${text.path}`)
    path = text.path
    console.log(`  ${text.place}  ${text.text}`)
  }
}
