import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import type { ProductSearch } from './product-search.ts'

const pauseMs = 250

/** Search and filters, stored in the URL. A change returns to the first page. */
export function ProductFilters({ search }: { readonly search: ProductSearch }): ReactNode {
  const navigate = useNavigate()
  const [typed, setTyped] = useState(search.q ?? '')
  const [reported, setReported] = useState(search.q)
  // Updates the field after the URL changed elsewhere (back button, cleared filter).
  if (reported !== search.q) {
    setReported(search.q)
    setTyped(search.q ?? '')
  }
  const change = (change: Partial<Record<keyof ProductSearch, string>>, replace = false) => {
    const { cursor: _, ...rest } = { ...search, ...change }
    const kept = Object.entries(rest).filter(([, value]) => value !== undefined && value !== '')
    void navigate({ to: '/products', search: Object.fromEntries(kept), replace })
  }
  useEffect(() => {
    if (typed === (search.q ?? '')) return
    const timer = setTimeout(() => change({ q: typed }, search.q !== undefined), pauseMs)
    return () => clearTimeout(timer)
  })
  return (
    <search className="mb-4 grid grid-cols-2 gap-3 *:first:col-span-2 lg:grid-cols-[1fr_auto_auto_auto_auto] lg:*:first:col-span-1">
      <TextField
        type="search"
        label={text('products.search')}
        placeholder={text('products.search')}
        isLabelHidden
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <SelectField
        label={text('products.filter.status')}
        isLabelHidden
        value={search.status ?? ''}
        onChange={(event) => change({ status: event.target.value })}
      >
        <option value="">{text('products.filter.current')}</option>
        <option value="active">{text('products.status.active')}</option>
        <option value="draft">{text('products.status.draft')}</option>
        <option value="archived">{text('products.status.archived')}</option>
        <option value="any">{text('products.filter.everything')}</option>
      </SelectField>
      <SelectField
        label={text('products.filter.stock')}
        isLabelHidden
        value={search.stock ?? ''}
        onChange={(event) => change({ stock: event.target.value })}
      >
        <option value="">{text('products.filter.any-stock')}</option>
        <option value="in">{text('products.filter.in-stock')}</option>
        <option value="out">{text('products.filter.out-of-stock')}</option>
      </SelectField>
      <SelectField
        label={text('products.filter.taxable')}
        isLabelHidden
        value={search.taxable ?? ''}
        onChange={(event) => change({ taxable: event.target.value })}
      >
        <option value="">{text('products.filter.any-tax')}</option>
        <option value="true">{text('products.filter.taxed')}</option>
        <option value="false">{text('products.filter.untaxed')}</option>
      </SelectField>
      {search.category ? (
        <Button onClick={() => change({ category: '' })}>
          {text('products.filter.category', { category: search.category })}
          <span aria-hidden="true">✕</span>
        </Button>
      ) : null}
    </search>
  )
}
