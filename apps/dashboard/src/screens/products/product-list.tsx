import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useRole } from '../../session/use-role.ts'
import { ExportButton } from './export-button.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { ProductFilters } from './product-filters.tsx'
import type { ProductSearch } from './product-search.ts'
import { ProductTable } from './product-table.tsx'

const pageSize = 50

export function ProductList(): ReactNode {
  const search = useSearch({ from: '/products' })
  const { isManager: maySell } = useRole()
  const [isImporting, setImporting] = useState(false)
  const products = useQuery({
    queryKey: ['products', 'list', search],
    placeholderData: keepPreviousData,
    queryFn: () =>
      contentOf(api.GET('/api/inventory', { params: { query: { ...search, limit: pageSize } } })),
  })
  return (
    <>
      <PageHeader title={text('products.title')} note={text('products.note')}>
        {maySell ? <Button onClick={() => setImporting(true)}>{text('products.import')}</Button> : null}
        <ExportButton />
        {maySell ? (
          <LinkButton to="/products/new" look="main">
            {text('products.new')}
          </LinkButton>
        ) : null}
      </PageHeader>
      <ProductFilters search={search} />
      <QueryView
        query={products}
        isDegraded={({ degraded }) => degraded === true}
        isEmpty={({ items }) => items.length === 0}
        empty={<NoProducts isFiltered={Object.keys(search).length > 0} maySell={maySell} />}
      >
        {({ items, total, nextCursor }) => (
          <>
            <ProductTable products={items} search={search} maySell={maySell} />
            <Pages total={total} shown={items.length} next={nextCursor} search={search} />
          </>
        )}
      </QueryView>
      {isImporting ? <ImportDialog onClose={() => setImporting(false)} /> : null}
    </>
  )
}

function Pages({
  total,
  shown,
  next,
  search,
}: {
  readonly total: number
  readonly shown: number
  readonly next: string | null
  readonly search: ProductSearch
}): ReactNode {
  const { cursor: isLater, ...first } = search
  return (
    <nav aria-label={text('products.pages')} className="mt-4 flex flex-wrap items-center gap-3">
      <p role="status" className="me-auto text-dim text-sm">
        {text('products.count', { shown, total })}
      </p>
      {isLater ? (
        <LinkButton to="/products" search={first}>
          {text('products.first-page')}
        </LinkButton>
      ) : null}
      {next ? (
        <LinkButton to="/products" search={{ ...search, cursor: next }}>
          {text('products.next-page')}
        </LinkButton>
      ) : null}
    </nav>
  )
}

function NoProducts({
  isFiltered,
  maySell,
}: {
  readonly isFiltered: boolean
  readonly maySell: boolean
}): ReactNode {
  const navigate = useNavigate()
  if (isFiltered) {
    return (
      <Notice title={text('products.none-found.title')}>
        <p>{text('products.none-found.text')}</p>
        <Button onClick={() => void navigate({ to: '/products', search: {} })}>
          {text('products.clear')}
        </Button>
      </Notice>
    )
  }
  return (
    <Notice title={text('products.empty.title')}>
      <p>{text('products.empty.text')}</p>
      {maySell ? (
        <LinkButton to="/products/new" look="main">
          {text('products.empty.do')}
        </LinkButton>
      ) : null}
    </Notice>
  )
}
