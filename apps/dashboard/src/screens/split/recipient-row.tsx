import type { ReactNode } from 'react'
import type { UseFormRegister } from 'react-hook-form'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import type { Row, RowProblem } from './shares.ts'

export function RecipientRow({
  row,
  register,
  value,
  problems,
  onRemove,
}: {
  readonly row: number
  readonly register: UseFormRegister<{ rows: Row[] }>
  readonly value: Row | undefined
  readonly problems: readonly RowProblem[]
  readonly onRemove?: () => void
}): ReactNode {
  const number = row + 1
  const wordsOf = (field: keyof Row) => {
    const problem = problems.find((each) => each.field === field)
    // An empty field shows no error.
    if (!problem || !value?.[field].trim()) return undefined
    return text(`split.problem.${problem.problem}`, { row: number, other: (problem.other ?? 0) + 1 })
  }
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3 sm:grid-cols-[minmax(0,1fr)_8rem_auto]">
      <div className="col-span-2 sm:col-span-1">
        <TextField
          label={text('split.row.address', { row: number })}
          error={wordsOf('address')}
          spellCheck={false}
          className="font-mono"
          placeholder="0x…"
          {...register(`rows.${row}.address`)}
        />
      </div>
      <TextField
        label={text('split.row.percent', { row: number })}
        error={wordsOf('percent')}
        inputMode="decimal"
        {...register(`rows.${row}.percent`)}
      />
      {onRemove ? (
        <Button
          className="mt-[1.875rem]"
          aria-label={text('split.row.remove', { row: number })}
          onClick={onRemove}
        >
          <span aria-hidden="true">✕</span>
        </Button>
      ) : null}
    </li>
  )
}
