import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { amountOf, centsOf, plainAmount, readCents } from '../../format/cents.ts'
import { money } from '../../format/money.ts'
import { text } from '../../messages/messages.ts'
import { CheckField } from '../../parts/field.tsx'
import { problemText } from '../../parts/form-problem.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { type Product, type ProductChange, unlimited } from './product.ts'

type CellProps = { readonly product: Product; readonly mayChange: boolean }

function useChange(product: Product) {
  const say = useToast()
  const write = useWrite(
    (body: ProductChange) =>
      contentOf(api.PATCH('/api/inventory/{id}', { params: { path: { id: product.id } }, body })),
    [['products']],
  )
  const change = async (body: ProductChange) => {
    await write.mutateAsync(body)
    say(text('products.saved', { name: product.name }))
  }
  return { change, isBusy: write.isPending }
}

export function PriceCell({ product, mayChange }: CellProps): ReactNode {
  const { change } = useChange(product)
  if (!mayChange) return money(product.priceUsd)
  return (
    <InlineField
      label={text('products.price-of', { name: product.name })}
      value={plainAmount(centsOf(product.priceUsd))}
      before="$"
      width="w-28"
      onSave={async (typed) => {
        const cents = readCents(typed)
        if (cents === undefined) throw new Error(text('products.price.wrong'))
        await change({ priceUsd: amountOf(cents) })
      }}
    />
  )
}

/** The stock of a product. Empty or -1 means unlimited. */
export function StockCell({ product, mayChange }: CellProps): ReactNode {
  const { change } = useChange(product)
  const isUnlimited = product.stockQty === unlimited
  if (!mayChange) return isUnlimited ? text('products.unlimited') : product.stockQty
  return (
    <InlineField
      label={text('products.stock-of', { name: product.name })}
      value={isUnlimited ? '' : String(product.stockQty)}
      placeholder={text('products.unlimited')}
      width="w-28"
      note={product.stockQty === 0 ? text('products.sold-out') : undefined}
      onSave={async (typed) => {
        const stockQty = readStock(typed)
        if (stockQty === undefined) throw new Error(text('products.stock.wrong'))
        await change({ stockQty })
      }}
    />
  )
}

export function TaxableCell({ product, mayChange }: CellProps): ReactNode {
  const { change, isBusy } = useChange(product)
  const say = useToast()
  if (!mayChange) return text(product.taxable ? 'products.yes' : 'products.no')
  return (
    <CheckField
      label={<span className="sr-only">{text('products.taxable-of', { name: product.name })}</span>}
      checked={product.taxable}
      disabled={isBusy}
      onChange={(event) => {
        change({ taxable: event.target.checked }).catch((error: unknown) => say(problemText(error)))
      }}
    />
  )
}

/** Parses a typed stock. Empty, `-1` and `∞` mean unlimited. Returns `undefined` if the stock is invalid. */
export function readStock(typed: string): number | undefined {
  const sign = typed.trim()
  if (sign === '' || sign === '-1' || sign === '∞') return unlimited
  return /^\d{1,9}$/.test(sign) ? Number(sign) : undefined
}

type InlineFieldProps = {
  readonly label: string
  readonly value: string
  readonly before?: string
  readonly placeholder?: string
  readonly width: string
  readonly note?: string | undefined
  /** Saves the value. The field shows the error if this rejects. */
  onSave(typed: string): Promise<void>
}

function InlineField(props: InlineFieldProps): ReactNode {
  const { label, value, before, placeholder, width, note, onSave } = props
  const [typed, setTyped] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const end = () => {
    setTyped(undefined)
    setProblem(undefined)
  }
  const save = async () => {
    if (typed === undefined || isBusy) return
    if (typed === value) return end()
    setBusy(true)
    try {
      await onSave(typed)
      end()
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save()
    if (event.key === 'Escape') end()
  }
  return (
    <div className={`grid gap-1 ${width}`}>
      <div className="flex min-h-10 items-center rounded-lg border border-transparent bg-soft focus-within:border-accent focus-within:bg-card hover:border-line">
        {before ? (
          <span aria-hidden="true" className="ps-3 text-dim">
            {before}
          </span>
        ) : null}
        <input
          aria-label={label}
          aria-invalid={Boolean(problem)}
          aria-busy={isBusy}
          inputMode="decimal"
          autoComplete="off"
          placeholder={placeholder}
          value={typed ?? value}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => void save()}
          onKeyDown={press}
          className="w-full min-w-0 rounded-lg bg-transparent px-3 py-2 tabular-nums placeholder:text-dim"
        />
      </div>
      {note ? <span className="text-sm text-wait">{note}</span> : null}
      <span role="alert" className="max-w-44 text-bad text-sm empty:hidden">
        {problem}
      </span>
    </div>
  )
}
