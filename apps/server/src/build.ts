import { buildService } from './build-service.ts'

const help = `npm run build [-- --only service] [-- --help]

Builds the service into dist: the server in one file, and the scripts and style sheets of the buyers' pages. A start
builds what is missing or older than its sources, unless it may not write there.
`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(help)
} else {
  await buildService()
  if (!args.includes('service')) {
    const { buildBundles } = await import('./pages/html/make-bundles.ts')
    for (const hasWalletConnect of [false, true]) await buildBundles({ hasWalletConnect })
  }
}
