import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { Badge } from '../../parts/badge.tsx'
import { Cell, HeadCell, RowHead, RowLink, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { PriceCell, StockCell, TaxableCell } from './inline-cells.tsx'
import type { Product } from './product.ts'
import type { ProductSearch } from './product-search.ts'

type Sort = NonNullable<ProductSearch['sort']>

export function ProductTable({
  products,
  search,
  maySell,
}: {
  readonly products: readonly Product[]
  readonly search: ProductSearch
  readonly maySell: boolean
}): ReactNode {
  const head = (
    <>
      <SortHead by="name" search={search} label={text('products.column.product')} />
      <SortHead by="priceUsd" search={search} label={text('products.column.price')} />
      <SortHead by="stockQty" search={search} label={text('products.column.stock')} />
      <HeadCell>{text('products.column.taxable')}</HeadCell>
      <HeadCell>{text('products.column.category')}</HeadCell>
      <SortHead by="updatedAt" search={search} label={text('products.column.changed')} />
    </>
  )
  return (
    <Table label={text('products.table')} head={head}>
      {products.map((product) => (
        <Row key={product.id} {...{ product, search, maySell }} />
      ))}
    </Table>
  )
}

function Row({
  product,
  search,
  maySell,
}: {
  readonly product: Product
  readonly search: ProductSearch
  readonly maySell: boolean
}): ReactNode {
  const { id, name, sku, category, updatedAt, status } = product
  const { cursor: _, ...first } = search
  const mayChange = maySell && status !== 'archived'
  return (
    <tr>
      <RowHead className="min-w-52">
        <RowLink to="/products/$productId" params={{ productId: id }}>
          {name}
        </RowLink>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 font-normal">
          <bdi className="font-mono text-dim text-sm [overflow-wrap:anywhere]">{sku}</bdi>
          {status === 'active' ? null : <ProductStatus status={status} />}
        </span>
      </RowHead>
      <Cell>
        <PriceCell product={product} mayChange={mayChange} />
      </Cell>
      <Cell>
        <StockCell product={product} mayChange={mayChange} />
      </Cell>
      <Cell>
        <TaxableCell product={product} mayChange={mayChange} />
      </Cell>
      <Cell className="min-w-32">
        {category ? (
          <Link
            to="/products"
            search={{ ...first, category }}
            className="inline-block py-1 underline decoration-line underline-offset-4 [overflow-wrap:anywhere]"
          >
            <bdi>{category}</bdi>
          </Link>
        ) : (
          <span className="text-dim">–</span>
        )}
      </Cell>
      <Cell className="whitespace-nowrap text-dim">
        <When at={updatedAt} />
      </Cell>
    </tr>
  )
}

export function ProductStatus({ status }: { readonly status: Product['status'] }): ReactNode {
  if (status === 'active')
    return (
      <Badge tone="good" sign="✓">
        {text('products.status.active')}
      </Badge>
    )
  return (
    <Badge sign={status === 'draft' ? '✎' : '▽'}>
      {text(status === 'draft' ? 'products.status.draft' : 'products.status.archived')}
    </Badge>
  )
}

function SortHead({
  by,
  search,
  label,
}: {
  readonly by: Sort
  readonly search: ProductSearch
  readonly label: string
}): ReactNode {
  const { cursor: _, ...first } = search
  const isBy = (search.sort ?? 'updatedAt') === by
  const usual = by === 'updatedAt' ? 'desc' : 'asc'
  const now = isBy ? (search.order ?? usual) : undefined
  const next = now === undefined ? usual : now === 'asc' ? 'desc' : 'asc'
  return (
    <HeadCell {...(now && { 'aria-sort': now === 'asc' ? 'ascending' : 'descending' })}>
      <Link
        to="/products"
        search={{ ...first, sort: by, order: next }}
        className="inline-flex min-h-8 items-center gap-1 rounded hover:text-ink hover:underline"
      >
        {label}
        <span aria-hidden="true" className={now ? 'text-ink' : 'opacity-40'}>
          {now === undefined ? '↕' : now === 'asc' ? '↑' : '↓'}
        </span>
      </Link>
    </HeadCell>
  )
}
