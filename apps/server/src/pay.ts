import { parseArgs } from 'node:util'
import { tokenSymbols } from '@sluice/protocol/tokens/list.ts'
import { runPay } from './local/demo/run-pay.ts'

const help = `npm run pay -- <payment URL> [--token USDC] [--by call|transfer|x402] [--data DIR]

Pays a receipt of the local service with the demo buyer's test tokens and waits until it is paid.

  --token SYMBOL  ${tokenSymbols.join(', ')} (default: USDC)
  --by WAY        call: the split contract, as a wallet on the page does (default);
                  transfer: the amount to the payment's own address, as any wallet or exchange does;
                  x402: a signature over HTTP, as a program does, in USDC
  --data DIR      data directory of the service (default: DATA_DIR or ./data)

Exits with code 1 if the payment fails, and with 2 on a usage error.
`

process.exitCode = await pay()

async function pay(): Promise<number> {
  const asked = readArguments()
  if (asked?.isHelp) {
    process.stdout.write(help)
    return 0
  }
  if (!asked?.url) {
    process.stderr.write(help)
    return 2
  }
  try {
    await runPay(process.env, { ...asked, url: asked.url }, (line) => void process.stdout.write(`${line}\n`))
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return 1
  }
}

/** Returns `undefined` if the arguments are invalid. */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        token: { type: 'string', default: 'USDC' },
        by: { type: 'string', default: 'call' },
        data: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    const { token, by: way, data: dataDir } = values
    if (positionals.length > 1 || (way !== 'call' && way !== 'transfer' && way !== 'x402')) return undefined
    return { isHelp: values.help, url: positionals[0], token, way, dataDir } as const
  } catch {
    return undefined
  }
}
