/** The whole payment, in basis points. */
export const wholeBps = 10_000

/** Parses a percentage (`12.5`, `12,5`) into 1 to 10000 basis points, or `undefined` if it is invalid. */
export function parsePercent(text: string): number | undefined {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text.trim())
  if (!match) return undefined
  const bps = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  return bps >= 1 && bps <= wholeBps ? bps : undefined
}

/** Formats basis points for a form field: `1250` is `12.50`. */
export function percentText(bps: number): string {
  const digits = String(Math.abs(bps)).padStart(3, '0')
  return `${bps < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

export type Row = { readonly address: string; readonly percent: string }

/** An error in a row. `problem` is the suffix of a `split.problem.…` text key. */
export type RowProblem = {
  readonly row: number
  readonly field: 'address' | 'percent'
  readonly problem: 'address' | 'checksum' | 'zero' | 'duplicate' | 'platform' | 'percent'
  /** Index of the row that already has the address. */
  readonly other?: number
}

/** Returns the address with its EIP-55 checksum. */
export type Spell = (address: string) => string

/**
 * Validates the rows and adds up their shares.
 *
 * @param fee - The platform's share, included in `totalBps`.
 */
export function validateRows(
  rows: readonly Row[],
  fee: { readonly bps: number; readonly recipient: string | null },
  spell: Spell,
): { problems: readonly RowProblem[]; totalBps: number; isComplete: boolean } {
  const problems = rows.flatMap((row, i) => {
    const address = validateAddress(rows, i, fee.recipient, spell)
    const isShare = parsePercent(row.percent) !== undefined
    return [
      ...(address ? [address] : []),
      ...(isShare ? [] : [{ row: i, field: 'percent', problem: 'percent' } as const]),
    ]
  })
  const totalBps = rows.reduce((sum, { percent }) => sum + (parsePercent(percent) ?? 0), fee.bps)
  return { problems, totalBps, isComplete: problems.length === 0 && totalBps === wholeBps }
}

function validateAddress(
  rows: readonly Row[],
  row: number,
  platform: string | null,
  spell: Spell,
): RowProblem | undefined {
  const address = rows[row]?.address.trim() ?? ''
  const error = (problem: RowProblem['problem'], other?: number): RowProblem => ({
    row,
    field: 'address',
    problem,
    ...(other !== undefined && { other }),
  })
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return error('address')
  const same = (each: string | null | undefined) => each?.trim().toLowerCase() === address.toLowerCase()
  if (/^0x0{40}$/.test(address)) return error('zero')
  const isMixed = /[a-f]/.test(address.slice(2)) && /[A-F]/.test(address.slice(2))
  if (isMixed && spell(address) !== address) return error('checksum')
  if (same(platform)) return error('platform')
  const first = rows.findIndex((each) => same(each.address))
  return first < row ? error('duplicate', first) : undefined
}
