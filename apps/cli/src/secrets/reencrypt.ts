import type { Command } from '../../../../packages/cli/src/command.ts'
import { exitCodes } from '../../../../packages/cli/src/failure.ts'
import { withOperator } from '../operator/open-operator.ts'

export const secretsReencrypt: Command = {
  path: ['secrets', 'reencrypt'],
  summary: 'Re-encrypts with SLUICE_MASTER_KEY all data that SLUICE_MASTER_KEY_OLD encrypted',
  details: `Run it after every process of the service has the new master key: see "Replacing the master key" in docs/secrets.md. The
command re-encrypts the database in batches while the service runs. You can repeat or interrupt it: it skips finished
rows. It exits with code 1 if neither key decrypts a secret.`,
  async run({ env, out, signal }, input) {
    const { reencryptSecrets } = await import('@sluice/server/src/app/secrets/reencrypt-secrets.ts')
    const [outcome, keyIds] = await withOperator(env, input, async (operator) => [
      await reencryptSecrets({
        ...operator,
        report(place, lookedAt) {
          out.note(`${place}: ${lookedAt} checked`)
          signal.throwIfAborted()
        },
      }),
      { current: operator.secrets.keyId, old: operator.secrets.oldKeyIds },
    ])
    const { count, lostCount, lost } = outcome
    out.result({ ok: lostCount === 0, reencrypted: count, lostCount, lost, keyIds }, () => {
      for (const one of lost) out.line(`${out.paint('bad', 'lost')}  ${one}`)
      if (lostCount > 0)
        out.line(
          `${lostCount} cannot be decrypted with any key that is set; they could not sign anything before either`,
        )
      out.line(`Re-encrypted: ${count.keys} API keys, ${count.receipts} receipts, ${count.messages} webhooks`)
      out.line(
        `Everything else is encrypted with key ${keyIds.current}: SLUICE_MASTER_KEY_OLD is no longer needed`,
      )
    })
    return lostCount > 0 ? exitCodes.failed : exitCodes.done
  },
}
