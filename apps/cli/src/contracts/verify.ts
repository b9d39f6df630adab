import { writeFileSync } from 'node:fs'
import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import type { Command } from '../../../../packages/cli/src/command.ts'
import { exitCodes } from '../../../../packages/cli/src/failure.ts'
import { readServiceConfig } from '../operator/open-operator.ts'
import { withNetwork } from './open-network.ts'

type Standing = {
  readonly contract: string
  readonly address: string
  readonly expected: string
  readonly found: string | null
  readonly ok: boolean
}

export const contractsVerify: Command = {
  path: ['contracts', 'verify'],
  summary: 'Compares the code on the chain with this release, and writes the compiler input for an explorer',
  options: {
    'standard-input': { value: 'FILE', help: 'write the standard JSON input of the compiler to this file' },
  },
  details: `Reads CHAIN_ID and RPC_URLS as the service does. An explorer that compiles the file with the named compiler gets
the same code. Exits with code 1 if code is missing or different.`,
  async run(context, input) {
    const { out } = context
    const file = input.text('standard-input')
    if (file !== undefined) await writeStandardInput(file)
    const config = await readServiceConfig(context.env, input)
    const { factory, splitImplementation, depositImplementation, compiler, ...pulls } = releases.current
    const contracts = await withNetwork(context, config, async ({ chain }) => {
      const { keccak256 } = await import('viem')
      const { parseWallet } = await import('@sluice/protocol/wallet.ts')
      return Promise.all(
        [
          ['SplitFactory', factory] as const,
          ['MerchantSplit', splitImplementation] as const,
          ['Deposit', depositImplementation] as const,
          ['PullFactory', pulls.pullFactory] as const,
          ['Puller', pulls.pullerImplementation] as const,
        ].map(async ([contract, { address, codeHash }]): Promise<Standing> => {
          const wallet = parseWallet(address)
          const code = wallet ? await chain.readCode(wallet) : '0x'
          const found = code === '0x' ? null : keccak256(code)
          return { contract, address, expected: codeHash, found, ok: found === codeHash }
        }),
      )
    })
    const ok = contracts.every((each) => each.ok)
    out.result({ ok, chainId: config.chainId, compiler, contracts }, () => {
      for (const { contract, address, expected, found, ok: isRight } of contracts) {
        const word = isRight
          ? out.paint('good', 'ok')
          : out.paint('bad', found ? 'different code' : 'no code')
        out.line(`${contract.padEnd(14)} ${address}  ${word}`)
        if (!isRight && found) out.line(`${' '.repeat(15)}expected ${expected}, found ${found}`)
      }
      out.line(
        `compiler       ${compiler.version}, ${compiler.evmVersion}, optimizer ${compiler.optimizerRuns} runs`,
      )
    })
    if (!ok && contracts.every(({ found }) => found === null))
      out.note('Nothing is deployed there: run `npm run cli -- contracts deploy`.')
    return ok ? exitCodes.done : exitCodes.failed
  },
}

async function writeStandardInput(file: string): Promise<void> {
  const { default: standardInput } = await import('@sluice/contracts/deployments/standard-input.json', {
    with: { type: 'json' },
  })
  writeFileSync(file, `${JSON.stringify(standardInput, undefined, 2)}\n`)
}
