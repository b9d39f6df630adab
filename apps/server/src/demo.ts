import { runDemo } from './local/demo/run-demo.ts'

const help = `npm run demo [-- --data DIR] [-- --help]

Plays the main job against a running service, or against one it starts for itself and ends again:
receipts are made through the API, opened on the checkout, paid by a buyer's wallet in ETH and in USDC,
each by a call and by a plain transfer, told by signed webhooks to a receiver of its own, distributed by
the split contract and reconciled. Prints when each thing happened; exits with 1 if any did not.

  --data DIR   the data directory of the service to look for (default: DATA_DIR or ./data)
`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(help)
  process.exit(0)
}
const dataAt = args.indexOf('--data')
process.exitCode = (await runDemo(process.env, dataAt < 0 ? undefined : args[dataAt + 1])) ? 0 : 1
