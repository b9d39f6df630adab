import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Command, TestContext } from '../../../../packages/cli/src/command.ts'
import { CliFailure, exitCodes } from '../../../../packages/cli/src/failure.ts'
import { type Operator, withOperator } from '../operator/open-operator.ts'

const askedFor = 3

export const recoveryShow: Command = {
  path: ['recovery', 'show'],
  summary: 'Shows the recovery seed as 24 words, until you confirm three of them',
  details: `All deposit addresses are derived from the recovery seed. With its words you can find the money at deposit addresses
after the loss of the database. The words cannot spend anything, but they reveal all deposit addresses: write them on
paper, and do not keep them on the machine.

Run it in a terminal, on the machine of the service with its settings. The command asks for three of the words. After you
enter them correctly, it never shows the words again. The platform's audit log records each time they are shown.`,
  async run(context, input) {
    await withOperator(context.env, input, async (operator) => {
      const words = await readWords(operator)
      context.out.result({ words }, () => {
        for (let row = 0; row < words.length; row += 4)
          context.out.line(
            words
              .slice(row, row + 4)
              .map((word, i) => `${String(row + i + 1).padStart(2)} ${word.padEnd(10)}`)
              .join(''),
          )
      })
      if (await isTypedBack(context, operator, words)) {
        await noteInAudit(operator, 'confirmed')
        context.out.note('The words are confirmed and will not be shown again.')
      } else context.out.note('Not confirmed yet. Run this in a terminal to confirm three of the words.')
    })
    return exitCodes.done
  },
}

async function readWords(operator: Operator): Promise<string[]> {
  const [{ findRecoverySeed }, { entropyToMnemonic }, { wordlist }] = await Promise.all([
    import('@sluice/server/src/payments/attempts/recovery-seed.ts'),
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english'),
  ])
  const seed = await findRecoverySeed(operator)
  if (!seed)
    throw new CliFailure(exitCodes.failed, 'There is no recovery seed yet', 'Start the service once.')
  if (seed.confirmedAt !== undefined)
    throw new CliFailure(
      exitCodes.failed,
      `The words were confirmed on ${new Date(seed.confirmedAt).toISOString()} and are not shown again`,
    )
  await noteInAudit(operator, 'shown')
  return entropyToMnemonic(seed.bytes, wordlist).split(' ')
}

/**
 * Returns `false` if there is no terminal.
 *
 * @throws {CliFailure} if a word is wrong.
 */
async function isTypedBack(
  context: TestContext,
  { random }: Operator,
  words: readonly string[],
): Promise<boolean> {
  const places = new Set<number>()
  while (places.size < askedFor) places.add((random.bytes(1)[0] ?? 0) % words.length)
  for (const place of places) {
    const typed = await context.ask(`Word ${place + 1}: `)
    if (typed === undefined) return false
    if (typed.trim().toLowerCase() !== words[place])
      throw new CliFailure(exitCodes.failed, `That is not word ${place + 1}. Nothing was confirmed`)
  }
  return true
}

async function noteInAudit(operator: Operator, what: 'shown' | 'confirmed'): Promise<void> {
  const { confirmSeed } = await import('@sluice/server/src/payments/attempts/recovery-seed.ts')
  const { appendAudit } = await import('@sluice/server/src/access/audit/append-audit.ts')
  const at: UnixMs = operator.clock.now()
  await operator.db.transaction(async (tx) => {
    if (what === 'confirmed') await confirmSeed(tx, at)
    await appendAudit(
      { ...operator, tx },
      {
        merchant: 'platform',
        at,
        actor: 'system',
        action: `recovery_seed.${what}`,
        subject: 'recovery seed',
        details: { by: 'command line' },
      },
    )
  })
}
