/** All of a payment, in basis points. */
export const wholeBps = 10_000

/** A share as people write it, `12.5` or `12,5`, in basis points; `undefined` for what is none. */
export function parsePercent(text: string): number | undefined {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text.trim())
  if (!match) return undefined
  const bps = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  return bps >= 1 && bps <= wholeBps ? bps : undefined
}

/** Basis points as a form holds them: `12.50`. */
export function percentText(bps: number): string {
  const digits = String(Math.abs(bps)).padStart(3, '0')
  return `${bps < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** A row of the editor, as it was typed. */
export type Row = { readonly address: string; readonly percent: string }

/** What is wrong with a row: what the text `split.problem.…` is called, and the other row where there is one. */
export type RowProblem = {
  readonly row: number
  readonly field: 'address' | 'percent'
  readonly problem: 'address' | 'checksum' | 'zero' | 'duplicate' | 'platform' | 'percent'
  /** The row that has the address already. */
  readonly other?: number
}

/** What tells a well-spelt address: `undefined` for none, else the spelling of its checksum (EIP-55). */
export type Spell = (address: string) => string

/**
 * Everything that is wrong with the rows, and what they come to.
 *
 * @param fee the platform's row, which is added to what is typed.
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
