import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { countFilters, type ReceiptSearch, readReceiptSearch } from './receipt-search.ts'

const pauseMs = 250

export function ReceiptFilterBar({ search }: { readonly search: ReceiptSearch }): ReactNode {
  const id = useId()
  const count = countFilters(search)
  const [isOpen, setOpen] = useState(count > 0)
  const { tab, sort } = search
  return (
    <div className="mb-4 grid gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <SearchField search={search} />
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {text('receipts.filter', { count })} <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
        </Button>
        {count > 0 || search.q ? (
          <LinkButton to="/receipts" search={{ ...(tab && { tab }), ...(sort && { sort }) }}>
            {text('receipts.filter.clear')}
          </LinkButton>
        ) : null}
      </div>
      <div id={id} hidden={!isOpen}>
        <FilterForm key={JSON.stringify(search)} search={search} />
      </div>
    </div>
  )
}

function SearchField({ search }: { readonly search: ReceiptSearch }): ReactNode {
  const navigate = useNavigate({ from: '/receipts' })
  const [typed, setTyped] = useState(search.q ?? '')
  const sent = useRef(search.q ?? '')
  // Updates the field after the URL changed elsewhere (back button, cleared filters).
  useEffect(() => {
    if ((search.q ?? '') === sent.current) return
    sent.current = search.q ?? ''
    setTyped(search.q ?? '')
  }, [search.q])
  useEffect(() => {
    if (typed.trim() === sent.current) return
    const timer = setTimeout(() => {
      sent.current = typed.trim()
      const q = typed.trim().slice(0, 255)
      void navigate({
        search: ({ q: _, pages: __, ...rest }) => (q === '' ? rest : { ...rest, q }),
        replace: true,
        resetScroll: false,
      })
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [typed, navigate])
  return (
    <div className="min-w-60 grow">
      <TextField
        type="search"
        label={text('receipts.search')}
        isLabelHidden
        placeholder={text('receipts.search.placeholder')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  )
}

function FilterForm({ search }: { readonly search: ReceiptSearch }): ReactNode {
  const navigate = useNavigate({ from: '/receipts' })
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const sent = Object.fromEntries(new FormData(event.currentTarget))
    const { tab, q, sort } = search
    void navigate({
      search: readReceiptSearch({ ...sent, ...(tab && { tab }), ...(q && { q }), ...(sort && { sort }) }),
      resetScroll: false,
    })
  }
  return (
    <form
      onSubmit={apply}
      className="grid items-end gap-4 rounded-2xl border border-line bg-card p-5 sm:grid-cols-2 lg:grid-cols-[1.4fr_1.4fr_1fr_1fr_1fr_auto]"
    >
      <TextField type="date" name="from" label={text('receipts.filter.from')} defaultValue={search.from} />
      <TextField type="date" name="to" label={text('receipts.filter.to')} defaultValue={search.to} />
      <SelectField
        name="currency"
        label={text('receipts.filter.currency')}
        defaultValue={search.currency ?? ''}
      >
        <option value="">{text('receipts.filter.any')}</option>
        <option value="USD">USD</option>
        <option value="EUR">EUR</option>
      </SelectField>
      <TextField
        name="min"
        inputMode="decimal"
        label={text('receipts.filter.min')}
        defaultValue={search.min}
        placeholder="0.00"
      />
      <TextField
        name="max"
        inputMode="decimal"
        label={text('receipts.filter.max')}
        defaultValue={search.max}
        placeholder="0.00"
      />
      <Button type="submit" look="main">
        {text('receipts.filter.apply')}
      </Button>
    </form>
  )
}
