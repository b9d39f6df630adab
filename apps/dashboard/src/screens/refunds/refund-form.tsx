import { type ReactNode, useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import type { components } from '../../api/schema.d.ts'
import { amountOf, moneyOf, plainAmount, readCents } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { useRole } from '../../session/use-role.ts'
import { ItemPicker } from './item-picker.tsx'
import type { RefundRequest, RefundWay } from './kept-refund.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { leftOf, type RefundKind, refundable, unitsFor } from './refundable.ts'

type Receipt = components['schemas']['ReceiptDetail']

export type RefundDraft = {
  kind: RefundKind
  items: number[]
  amount: string
  buyer: string
  way: RefundWay
  txHash: string
}

const address = /^0x[0-9a-fA-F]{40}$/
const hash = /^0x[0-9a-fA-F]{64}$/

export function RefundForm({
  receipt,
  payer,
  onDone,
}: {
  readonly receipt: Receipt
  readonly payer: string
  onDone(request: RefundRequest): void
}): ReactNode {
  const { wallet } = useRole()
  const canPay = unitsFor(receipt, 1n) !== undefined
  const form = useForm<RefundDraft>({
    defaultValues: {
      kind: leftOf(receipt, 'price') > 0n ? 'price' : 'excess',
      items: [],
      amount: plainAmount(leftOf(receipt, leftOf(receipt, 'price') > 0n ? 'price' : 'excess')),
      buyer: payer,
      way: canPay ? 'wallet' : 'sent',
      txHash: '',
    },
  })
  const { errors } = form.formState
  const [kind, way, items] = useWatch({ control: form.control, name: ['kind', 'way', 'items'] })
  const [asked, setAsked] = useState<{ request: RefundRequest; way: RefundWay; cents: bigint }>()
  const left = leftOf(receipt, kind)
  const submit = form.handleSubmit((draft) => {
    const cents = readCents(draft.amount) ?? 0n
    const request = requestOf(receipt, draft, cents, wallet)
    setAsked({ request, way: draft.way, cents })
  })
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid max-w-3xl gap-5">
      <Card title={text('refunds.amount')} note={leftText(receipt, kind)}>
        <div className="grid gap-5">
          {leftOf(receipt, 'excess') > 0n ? (
            <SelectField
              label={text('refunds.kind')}
              {...form.register('kind', {
                onChange: (event: { target: { value: RefundKind } }) => {
                  form.setValue('items', [])
                  form.setValue('amount', plainAmount(leftOf(receipt, event.target.value)))
                },
              })}
            >
              <option value="price">{text('refunds.kind.price')}</option>
              <option value="excess">{text('refunds.kind.excess')}</option>
            </SelectField>
          ) : null}
          {kind === 'price' ? (
            <ItemPicker
              lines={receipt.lineItems}
              chosen={items}
              onChange={(chosen, cents) => {
                form.setValue('items', chosen)
                const sum = chosen.length === 0 ? left : cents
                form.setValue('amount', plainAmount(sum > left ? left : sum), { shouldValidate: true })
              }}
            />
          ) : null}
          <div className="max-w-56">
            <TextField
              label={text('refunds.amount-usd')}
              inputMode="decimal"
              error={errors.amount?.message}
              {...form.register('amount', { validate: (typed) => amountProblem(typed, left) ?? true })}
            />
          </div>
        </div>
      </Card>
      <Card title={text('refunds.destination')} note={text('refunds.destination.note')}>
        <TextField
          label={text('refunds.buyer')}
          placeholder="0x"
          spellCheck={false}
          hint={payer ? text('refunds.buyer.hint') : text('refunds.buyer.unknown')}
          error={errors.buyer?.message}
          {...form.register('buyer', {
            validate: (typed) => address.test(typed.trim()) || text('refunds.error.address'),
          })}
        />
      </Card>
      <Card title={text('refunds.way')}>
        <div className="grid gap-5">
          <SelectField label={text('refunds.way.label')} {...form.register('way')}>
            {canPay ? <option value="wallet">{text('refunds.way.wallet')}</option> : null}
            <option value="sent">{text('refunds.way.sent')}</option>
            <option value="elsewhere">{text('refunds.way.elsewhere')}</option>
          </SelectField>
          {way === 'sent' ? (
            <TextField
              label={text('refunds.hash')}
              placeholder="0x"
              spellCheck={false}
              error={errors.txHash?.message}
              {...form.register('txHash', {
                validate: (typed, { way: chosen }) =>
                  chosen !== 'sent' || hash.test(typed.trim()) || text('refunds.error.hash'),
              })}
            />
          ) : null}
          {way === 'elsewhere' ? <p className="text-wait">{text('refunds.elsewhere.note')}</p> : null}
        </div>
      </Card>
      <div>
        <Button type="submit" look="main">
          {text('refunds.review')}
        </Button>
      </div>
      {asked ? (
        <RefundDialog {...asked} receipt={receipt} onClose={() => setAsked(undefined)} onDone={onDone} />
      ) : null}
    </form>
  )
}

function leftText(receipt: Receipt, kind: RefundKind): string {
  const left = moneyOf(leftOf(receipt, kind), 'USD')
  return text('refunds.left', { left, total: moneyOf(refundable(receipt, kind), 'USD') })
}

function amountProblem(typed: string, left: bigint): string | undefined {
  const cents = readCents(typed)
  if (cents === undefined || cents === 0n) return text('refunds.error.amount')
  return cents > left ? text('refunds.error.too-much', { left: moneyOf(left, 'USD') }) : undefined
}

function requestOf(receipt: Receipt, draft: RefundDraft, cents: bigint, wallet: string): RefundRequest {
  const { receiptId, lineItems } = receipt
  const items = draft.items.flatMap((i) => {
    const line = lineItems[i]
    return line
      ? [{ label: line.label, priceUsd: line.priceUsd, ...(line.qty !== undefined && { qty: line.qty }) }]
      : []
  })
  return {
    receiptId,
    wallet,
    buyer: draft.buyer.trim(),
    usd: amountOf(cents),
    ...(draft.kind === 'price' && items.length > 0 && { items }),
    ...(draft.kind === 'excess' && { excess: true }),
    ...(draft.way === 'sent' && { txHash: draft.txHash.trim() }),
  }
}
