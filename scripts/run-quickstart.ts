import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findFreePort } from '../apps/server/src/platform/process/process.ts'
import { layOut } from './guide/lay-out.ts'
import { playGuide } from './guide/play-guide.ts'
import { readBlocks } from './guide/read-blocks.ts'
import { repositoryRoot } from './source/list-files.ts'

const help = `Usage: npm run quickstart [-- --full] [-- --limit SECONDS] [-- --guide FILE]

Runs the code blocks of docs/quickstart.md as they are, in an empty folder: the block
marked terminal=1 in one shell, the others in another. Prints
the duration of each step and the total. Exits with code 1 if a step fails or prints something other than the guide
shows, or if the total exceeds the limit.

  --full           copy the sources and let the guide's own \`npm ci\` install. Without it the folder \`sluice\`
                   is made of links to this checkout, and that one block is passed over: its packages are used
  --limit SECONDS  time limit for the whole run (default: 300)
  --guide FILE     a different guide
`

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    limit: { type: 'string', default: '300' },
    guide: { type: 'string', default: join(repositoryRoot, 'docs/quickstart.md') },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else process.exitCode = (await runQuickstart()) ? 0 : 1

async function runQuickstart(): Promise<boolean> {
  const limitMs = Number(values.limit) * 1000
  const stopping = new AbortController()
  const timer = setTimeout(() => stopping.abort(new Error('the time limit is exceeded')), limitMs)
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stopping.abort(new Error('interrupted')))
  const folder = mkdtempSync(join(tmpdir(), 'sluice-quickstart-'))
  const env = {
    ...readersEnv(),
    // Free ports, to avoid conflicts on this machine. A reader uses 8080 and 9000.
    PORT: '0',
    HOOK_URL: `http://127.0.0.1:${await findFreePort()}/hook`,
  }
  try {
    console.log(`${values.guide}, run in ${folder}\n`)
    layOut(folder, { isFull: values.full })
    const blocks = readBlocks(readFileSync(values.guide, 'utf8')).filter((block) => {
      if (values.full || !block.marks.has('install')) return true
      console.log(
        `skipped, the packages of this checkout are used: ${block.text.trim().replaceAll('\n', '; ')}`,
      )
      return false
    })
    const startedAt = performance.now()
    const outcome = await playGuide(blocks, { folder, env, signal: stopping.signal, report: console.log })
    const totalMs = performance.now() - startedAt
    console.log(`\ntotal ${(totalMs / 1000).toFixed(1)} s of at most ${values.limit} s`)
    if (outcome) console.log(`\nFAILED: ${outcome}`)
    else if (totalMs > limitMs) console.log('\nFAILED: it took too long')
    return !outcome && totalMs <= limitMs
  } finally {
    clearTimeout(timer)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/**
 * Returns the environment variables that any reader has, without settings of the service or of the caller.
 */
function readersEnv(): NodeJS.ProcessEnv {
  const kept =
    /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TMPDIR|TERM|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(cache|registry))$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)))
}
