import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { AuditAnchor } from '@sluice/server/src/access/audit/anchor-audit.ts'
import type { ChainFinding } from '@sluice/server/src/access/audit/verify-audit.ts'
import type { Command } from '../../../../packages/cli/src/command.ts'
import { exitCodes, usageError } from '../../../../packages/cli/src/failure.ts'
import { readWallet, withOperator } from '../operator/open-operator.ts'

export const auditVerify: Command = {
  path: ['audit', 'verify'],
  summary: 'Verifies that no entry of the audit log was changed, removed or inserted',
  options: {
    merchant: {
      value: 'WALLET',
      help: 'check only the chain of this merchant; `platform` for the chain without a merchant',
    },
    anchors: {
      value: 'FILE',
      help: 'log of the service; every chain head in it must still be in the database',
    },
    'old-keys': {
      value: 'FILE',
      help: 'file with earlier master keys, one per line',
    },
  },
  details:
    "Works on the service's database with its master key: run it on the machine of the service with its settings.\n" +
    'Without --anchors, the removal of the newest entries is not detected. Entries made with an earlier master key\n' +
    'require that key: SLUICE_MASTER_KEY_OLD or --old-keys. Exits with code 1 if a chain is broken.',
  async run({ env, out }, input) {
    const { verifyAudit } = await import('@sluice/server/src/access/audit/verify-audit.ts')
    const asked = input.text('merchant')
    const merchant =
      asked === undefined || asked === 'platform' ? asked : await readWallet(asked, '--merchant')
    const file = input.text('anchors')
    const anchors = file === undefined ? undefined : await readAnchors(file)
    const formerKeys = readFormerKeys(input.text('old-keys'))
    const chains: ChainFinding[] = []
    await withOperator(
      env,
      input,
      async (operator) => {
        for await (const chain of verifyAudit(operator, { merchant, anchors })) chains.push(chain)
      },
      formerKeys,
    )
    const broken = chains.filter(({ errors }) => errors.length > 0)
    const entryCount = chains.reduce((sum, chain) => sum + chain.entryCount, 0)
    const result = { ok: broken.length === 0, chainCount: chains.length, entryCount, broken }
    out.result({ ...result, anchorCount: anchors?.length ?? 0 }, () => {
      for (const { merchant, errors } of broken)
        for (const reason of errors) out.line(`${out.paint('bad', 'broken')}  ${merchant}  ${reason}`)
      out.line(
        `${entryCount} entries in ${chains.length} chains, ${broken.length} of them broken; ` +
          (anchors
            ? `${anchors.length} heads from the log checked`
            : 'not compared with the log (--anchors)'),
      )
    })
    return broken.length > 0 ? exitCodes.failed : exitCodes.done
  },
}

function readFormerKeys(file: string | undefined): string[] {
  if (file === undefined) return []
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.map((line) => line.trim()).filter(Boolean)
  } catch (error) {
    throw usageError(`--old-keys cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

async function readAnchors(file: string): Promise<AuditAnchor[]> {
  const anchors: AuditAnchor[] = []
  try {
    for await (const line of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      if (line.includes('"auditHeads"')) anchors.push(...headsIn(line))
    }
  } catch (error) {
    throw usageError(`--anchors cannot be read: ${(error as Error).message}`)
  }
  return anchors
}

function headsIn(line: string): AuditAnchor[] {
  try {
    const { auditHeads } = JSON.parse(line)
    return Array.isArray(auditHeads) ? auditHeads : []
  } catch {
    return [] // A crash can truncate a line.
  }
}
