import { runDemo } from './local/demo/run-demo.ts'

const help = `npm run demo [-- --data DIR] [-- --help]

Runs complete purchases against a running service, or against one that it starts and stops itself. Receipts are
created through the API, opened on the checkout, paid from a buyer's wallet in ETH and in USDC (each by a call
and by a plain transfer), reported by signed webhooks, distributed by the split contract and reconciled. Prints
each step with its time. Exits with code 1 if a step fails.

  --data DIR   data directory of the service (default: DATA_DIR or ./data)
`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(help)
  process.exit(0)
}
const dataAt = args.indexOf('--data')
process.exitCode = (await runDemo(process.env, dataAt < 0 ? undefined : args[dataAt + 1])) ? 0 : 1
