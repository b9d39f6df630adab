import type { ReactNode } from 'react'
import { type Path, useFieldArray, useForm, useWatch } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { placeIssues } from '../../api/place-issues.ts'
import { useWrite } from '../../api/use-write.ts'
import { amountOf, centsOf, moneyOf, plainAmount, readCents } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import type { Receipt } from './receipt.ts'

type Lines = { lines: { label: string; amount: string; qty: number | undefined }[] }

/** Edits the lines of an unpaid receipt. The API expects US dollars. */
export function EditDialog({ receipt, onClose }: { readonly receipt: Receipt; onClose(): void }): ReactNode {
  const { receiptId, lineItems, currency } = receipt
  const say = useToast()
  const form = useForm<Lines>({
    defaultValues: {
      lines: lineItems.map(({ label, priceUsd, qty }) => ({
        label,
        qty,
        amount: plainAmount(centsOf(priceUsd)),
      })),
    },
  })
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'lines' })
  const typed = useWatch({ control: form.control, name: 'lines' })
  const total = sumOf(typed)
  const save = useWrite(
    ({ lines }: Lines) =>
      contentOf(
        api.PATCH('/api/receipts/{id}', { params: { path: { id: receiptId } }, body: bodyOf(lines) }),
      ),
    [['receipts']],
  )
  const submit = form.handleSubmit((lines) =>
    save.mutate(lines, {
      onSuccess() {
        say(text('receipt.edit.done'))
        onClose()
      },
      onError: (error) =>
        void placeIssues(error, fieldOf, (field, message) =>
          form.setError(field as Path<Lines>, { message }),
        ),
    }),
  )
  const errors = form.formState.errors.lines
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text('receipt.edit')}
      note={text(currency === 'EUR' ? 'receipt.edit.note-eur' : 'receipt.edit.note')}
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4">
        {fields.map((field, i) => (
          <div key={field.id} className="grid grid-cols-[minmax(0,1fr)_8rem_auto] gap-3">
            <TextField
              label={text('receipt.edit.label')}
              isLabelHidden={i > 0}
              error={errors?.[i]?.label?.message}
              {...form.register(`lines.${i}.label`, {
                validate: (value) => value.trim() !== '' || text('app.required'),
              })}
            />
            <TextField
              label={text('receipt.edit.amount')}
              isLabelHidden={i > 0}
              inputMode="decimal"
              error={errors?.[i]?.amount?.message}
              {...form.register(`lines.${i}.amount`, {
                validate: (value) => readSigned(value) !== undefined || text('receipt.edit.bad-amount'),
              })}
            />
            <button
              type="button"
              disabled={fields.length === 1}
              onClick={() => remove(i)}
              aria-label={text('receipt.edit.remove', { number: i + 1 })}
              className={`grid size-11 place-items-center rounded-xl text-dim hover:bg-soft disabled:opacity-40 ${i === 0 ? 'mt-7.5' : ''}`}
            >
              <span aria-hidden="true">✕</span>
            </button>
          </div>
        ))}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Button onClick={() => append({ label: '', amount: '', qty: undefined })}>
            {text('receipt.edit.add')}
          </Button>
          <p className="font-bold text-lg tabular-nums">{moneyOf(total, 'USD')}</p>
        </div>
        <FormProblem error={save.error} others={placeIssues(save.error, fieldOf, () => {})} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{text('app.cancel')}</Button>
          <Button type="submit" look="main" disabled={save.isPending}>
            {text('receipt.edit.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function bodyOf(lines: Lines['lines']) {
  return {
    lineItems: lines.map(({ label, amount, qty }) => ({
      label: label.trim(),
      priceUsd: amountOf(readSigned(amount) ?? 0n),
      ...(qty !== undefined && { qty }),
    })),
    totalUsd: amountOf(sumOf(lines)),
  }
}

function sumOf(lines: Lines['lines']): bigint {
  return lines.reduce((sum, { amount }) => sum + (readSigned(amount) ?? 0n), 0n)
}

/** Parses like `readCents`, but accepts a negative amount for a discount. */
function readSigned(typed: string): bigint | undefined {
  const isNegative = /^\s*[-−]/.test(typed)
  const cents = readCents(typed.replace(/^\s*[-−]/, ''))
  return cents !== undefined && isNegative ? -cents : cents
}

function fieldOf(path: string): string | undefined {
  const line = /^lineItems\/(\d+)\/(label|priceUsd)$/.exec(path)
  return line ? `lines.${line[1]}.${line[2] === 'label' ? 'label' : 'amount'}` : undefined
}
