import { encodeFunctionData, erc20Abi } from 'viem'
import { withNonces } from '../chain/transactions/nonce-lease.ts'
import { findPayout } from '../chain/transactions/store.ts'
import {
  openSender,
  type TransactionOrder,
  type TransactionSender,
} from '../chain/transactions/transaction.ts'
import { listProviders, type Providers } from '../onramp/registry.ts'
import { hasSandbox, openSandbox, sandboxSecret } from '../onramp/sandbox/open-sandbox.ts'
import { paySession } from '../onramp/sandbox/pay-session.ts'
import { type Payout, runSandboxJob, type Treasury } from '../onramp/sandbox/run-sandbox.ts'
import { findSandboxSession } from '../onramp/sandbox/store.ts'
import type { SandboxPages } from '../pages/sandbox/register-sandbox.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import { StateLog } from '../platform/state-log.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

/**
 * Adds the card sandbox, if enabled, to the providers.
 *
 * The sandbox is the last provider: it gets new sessions only if there is no other provider, or if it is
 * requested by name. It needs the database and the base URL, so it is created here.
 */
export function withSandbox(context: Runtime, config: CompleteConfig): Providers {
  const sandbox = openSandbox(context, config)
  return sandbox ? listProviders([...context.onramp.all, sandbox], config.onrampProvider) : context.onramp
}

export function sandboxPages(context: Runtime, config: CompleteConfig): SandboxPages | undefined {
  if (!hasSandbox(config)) return undefined
  return {
    find: (id) => findSandboxSession(context.db, id),
    pay: (id, outcome) => paySession(context, id, outcome),
    networkName: context.chain.name,
  }
}

export function treasurySender(config: CompleteConfig): TransactionSender | undefined {
  return hasSandbox(config) && config.sandboxTreasuryKey ? openSender(config.sandboxTreasuryKey) : undefined
}

export function sandboxJobs(context: Runtime, config: CompleteConfig): Job[] {
  const sender = treasurySender(config)
  if (!sender) return []
  return [
    runSandboxJob({
      ...context,
      // The sandbox calls this service as it would call a merchant's server, which may be on this machine.
      outbound: context.webhooks,
      eventsUrl: `${config.baseUrl}/api/onramp/events/sandbox`,
      secret: sandboxSecret(config.masterKey),
      treasury: openTreasury(context, sender),
    }),
  ]
}

/**
 * Treasury of the sandbox's test tokens.
 *
 * A payout is signed and stored under its session id before it is sent, so it happens once even after a
 * crash. A failed payout is retried in the next round.
 */
function openTreasury(context: Runtime, sender: TransactionSender): Treasury {
  const { db, chain, holder } = context
  const states = new StateLog(context.log)
  return {
    async pay(payouts) {
      const sent = new Map<string, string>()
      await withNonces(context, sender, `${holder}:${jobNames.runSandbox}`, async (nonces) => {
        for (const payout of payouts) {
          const before = await findPayout(db, chain.id, payout.session)
          if (before) {
            sent.set(payout.session, before.hash)
            continue
          }
          const outcome = await nonces.send(payoutOrder(payout))
          if (outcome.kind === 'outrun') return
          if (outcome.kind === 'sent') sent.set(payout.session, outcome.own.hash)
          const { session } = payout
          if (outcome.kind === 'sent') states.end(session, 'the card sandbox can deliver again', { session })
          else
            states.say(
              session,
              outcome.kind,
              'error',
              { session, why: outcome.kind },
              'the card sandbox could not deliver',
            )
        }
      })
      return sent
    },
  }
}

function payoutOrder({ session, token, to, units }: Payout): TransactionOrder {
  return {
    kind: 'payout',
    detail: { session },
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] }),
  }
}
