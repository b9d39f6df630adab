import type { Hex } from '@sluice/server/src/chain/chain.ts'
import type { FactoryName } from '@sluice/server/src/chain/validate-factory.ts'
import type { Command } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'
import { readServiceConfig } from '../operator/open-operator.ts'
import { type NetworkDesk, withNetwork } from './open-network.ts'

const waitMs = 180_000
const pauseMs = 1_000

const all: readonly FactoryName[] = ['factory', 'pullFactory']

type Plan = {
  readonly from: Hex
  readonly steps: readonly { readonly which: FactoryName; readonly gas: bigint }[]
  readonly mostWei: bigint
  readonly balance: bigint
}

export const contractsDeploy: Command = {
  path: ['contracts', 'deploy'],
  summary:
    'Deploys the factories of this release on the chain of the service; all services on that chain share them',
  options: { yes: { help: 'send without asking for confirmation' } },
  details: `Reads CHAIN_ID, RPC_URLS and DEPLOYER_KEY as the service does. The addresses are derived from the code:
they are the same on every chain, for any payer. The command simulates each deployment and shows its cost first. It never
deploys a factory twice, so you can repeat it.`,
  async run(context, input) {
    const { out } = context
    const config = await readServiceConfig(context.env, input)
    const key = config.deployerKey
    await withNetwork(context, config, async (desk) => {
      const { chain } = desk
      const { factory, pullFactory } = chain
      const missing = await listMissing(desk)
      if (missing.length === 0) {
        out.result({ ok: true, deployed: false, factory, pullFactory }, () =>
          out.line(
            `The factories are already deployed at ${factory} and ${pullFactory} on ${chain.name}: nothing to do.`,
          ),
        )
        return
      }
      if (!key) throw usageError('DEPLOYER_KEY is not set', 'It pays for the deployment and nothing else.')
      const plan = await makePlan(desk, key, missing)
      const { factoryNames } = await import('@sluice/server/src/chain/validate-factory.ts')
      const { nativeSymbolOf } = await import('@sluice/server/src/chain/networks.ts')
      const gas = plan.steps.reduce((sum, step) => sum + step.gas, 0n)
      const show = (wei: bigint) => `${showCoins(wei)} ${nativeSymbolOf(chain)}`
      out.note(
        [
          `chain    ${chain.name} (${chain.id})`,
          ...missing.map((which) => `deploys  ${factoryNames[which]} ${chain[which]}`),
          `from     ${plan.from}, which holds ${show(plan.balance)}`,
          `cost     at most ${show(plan.mostWei)} for ${gas} gas`,
        ].join('\n'),
      )
      if (plan.balance < plan.mostWei) {
        const hint = `Send it at least ${show(plan.mostWei - plan.balance)} more on ${chain.name}.`
        throw new CliFailure(exitCodes.failed, `${plan.from} cannot pay for the deployment`, hint)
      }
      if (!input.has('yes')) await askForYes(context.ask)
      const transactions: Hex[] = []
      for (const { which, gas } of plan.steps) {
        const transaction = await send(desk, key, which, gas)
        await waitUntilItStands(desk, which, transaction, context.signal)
        transactions.push(transaction)
      }
      const [transaction] = transactions
      out.result({ ok: true, deployed: true, factory, pullFactory, transaction, transactions }, () => {
        out.fields(
          plan.steps.flatMap(({ which }, i) => [
            [factoryNames[which], chain[which] ?? ''],
            ['transaction', transactions[i] ?? ''],
          ]),
        )
      })
    })
    return exitCodes.done
  },
}

async function listMissing({ chain }: NetworkDesk): Promise<FactoryName[]> {
  const { validateFactory } = await import('@sluice/server/src/chain/validate-factory.ts')
  const missing: FactoryName[] = []
  for (const which of all) {
    const verdict = await validateFactory(chain, which)
    if (verdict.kind === 'other-code') throw new CliFailure(exitCodes.failed, verdict.message)
    if (verdict.kind === 'missing') missing.push(which)
  }
  return missing
}

async function makePlan({ chain }: NetworkDesk, key: Hex, missing: readonly FactoryName[]): Promise<Plan> {
  const { create2Deployer } = await import('@sluice/contracts/tools/create2.ts')
  const { readDataFee } = await import('@sluice/server/src/chain/chain.ts')
  const { parseWallet } = await import('@sluice/protocol/wallet.ts')
  const sender = await openDeployer(key)
  const [fees, [balance]] = await Promise.all([
    chain.readFees(),
    chain.readBalances([sender.address], 'latest'),
  ])
  const steps: { which: FactoryName; gas: bigint }[] = []
  let mostWei = 0n
  for (const which of missing) {
    const { to, data } = await deployment(which)
    if ((await chain.readCode(to)) === '0x') {
      const hint =
        'Base and most other chains have one; see github.com/Arachnid/deterministic-deployment-proxy.'
      const message = `${chain.name} has no deterministic deployer at ${create2Deployer}`
      throw new CliFailure(exitCodes.failed, message, hint)
    }
    const tried = await chain.call(to, data)
    const made = tried.ok ? parseWallet(`0x${tried.data.slice(-40)}`) : undefined
    if (made !== chain[which])
      throw new CliFailure(
        exitCodes.failed,
        `A trial run on ${chain.name} does not deploy to ${chain[which]}`,
      )
    const estimate = await chain.estimateGas({ from: sender.address, to, data })
    if (!estimate.ok) throw new CliFailure(exitCodes.failed, `A trial run on ${chain.name} reverts`)
    const gas = (estimate.gas * 12n) / 10n
    steps.push({ which, gas })
    mostWei += gas * fees.maxFeePerGas + (await readDataFee(chain, data.length / 2))
  }
  return { from: sender.address, steps, mostWei, balance: balance ?? 0n }
}

async function send({ chain }: NetworkDesk, key: Hex, which: FactoryName, gas: bigint): Promise<Hex> {
  const sender = await openDeployer(key)
  const order = { kind: 'deploy', detail: {}, ...(await deployment(which)) } as const
  const nonce = BigInt(await chain.readNonce(sender.address, 'pending'))
  const terms = { nonce, attempt: 0n, gas, ...(await chain.readFees()) }
  const { raw, hash } = await sender.sign(chain.id, order, terms)
  await chain.sendRaw(raw)
  return hash
}

/**
 * Waits for the transaction and checks the deployed code, because a transaction can succeed without deploying
 * any code.
 */
async function waitUntilItStands(
  { chain, clock }: NetworkDesk,
  which: FactoryName,
  transaction: Hex,
  signal: AbortSignal,
): Promise<void> {
  const { validateFactory } = await import('@sluice/server/src/chain/validate-factory.ts')
  const { wait } = await import('@sluice/server/src/kernel/clock.ts')
  const until = clock.now() + waitMs
  for (;;) {
    const receipt = await chain.findReceipt(transaction)
    if (receipt) {
      const verdict = await validateFactory(chain, which)
      if (verdict.kind === 'stands') return
      const end = receipt.isSuccess ? 'was mined without any effect' : 'reverted'
      throw new CliFailure(exitCodes.failed, `Transaction ${transaction} ${end}. ${verdict.message}`)
    }
    if (clock.now() > until) {
      const hint = 'Run the command again later. It does not deploy a factory twice.'
      throw new CliFailure(
        exitCodes.waited,
        `Transaction ${transaction} is not in a block yet`,
        hint,
        'waited',
      )
    }
    await wait(clock, pauseMs, signal)
    signal.throwIfAborted()
  }
}

async function askForYes(ask: (question: string) => Promise<string | undefined>): Promise<void> {
  const response = await ask('Send it? Type yes: ')
  if (response === undefined)
    throw usageError(
      'Cannot ask for confirmation without a terminal',
      'Add --yes to send without confirmation.',
    )
  if (response.trim().toLowerCase() !== 'yes') throw new CliFailure(exitCodes.failed, 'Nothing was sent')
}

async function deployment(which: FactoryName) {
  const { create2Deployment } = await import('@sluice/contracts/tools/create2.ts')
  const { splitFactoryBytecode } = await import('@sluice/contracts/abi/SplitFactory.ts')
  const { pullFactoryBytecode } = await import('@sluice/contracts/abi/PullFactory.ts')
  const { parseWallet } = await import('@sluice/protocol/wallet.ts')
  const { to, data } = create2Deployment(which === 'factory' ? splitFactoryBytecode : pullFactoryBytecode)
  const wallet = parseWallet(to)
  if (!wallet) throw new Error('the deployer is an address')
  return { to: wallet, data }
}

async function openDeployer(key: Hex) {
  const { openSender } = await import('@sluice/server/src/chain/transactions/transaction.ts')
  return openSender(key)
}

/** Formats wei in the native token with six decimals, rounded up, so that the stated amount is sufficient. */
function showCoins(wei: bigint): string {
  const micro = (wei + 999_999_999_999n) / 1_000_000_000_000n
  return `${micro / 1_000_000n}.${(micro % 1_000_000n).toString().padStart(6, '0')}`
}
