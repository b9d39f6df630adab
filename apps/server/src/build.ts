import { buildService } from './build-service.ts'

const help = `npm run build [-- --only service] [-- --help]

Builds what a start would build by itself, where that cannot be written: the service in few files, and the scripts and
style sheets of the buyers' pages. It is kept in .cache, and built anew where its files have changed.
`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(help)
} else {
  await buildService()
  // What the service itself is built without is not loaded for it.
  if (!args.includes('service')) await (await import('./build-pages.ts')).buildPages()
}
