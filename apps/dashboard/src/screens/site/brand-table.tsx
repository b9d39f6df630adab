import type { ReactNode } from 'react'
import { formatTag, text } from '../../messages/messages.ts'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Cell, HeadCell, RowHead, RowLink, Table } from '../../parts/table.tsx'
import { type Brand, ownKey, useBrands } from './brands.ts'

export function BrandTable(): ReactNode {
  const brands = useBrands()
  const head = (
    <>
      <HeadCell>{text('site.brand')}</HeadCell>
      <HeadCell>{text('site.domains')}</HeadCell>
      <HeadCell>{text('site.fee')}</HeadCell>
      <HeadCell>{text('site.token')}</HeadCell>
    </>
  )
  return (
    <Section title={text('site.brands')} note={text('site.brands.note')}>
      <QueryView query={brands}>
        {(found) => (
          <Table label={text('site.brands')} head={head}>
            {found.map((brand) => (
              <Row key={brand.key} brand={brand} />
            ))}
          </Table>
        )}
      </QueryView>
    </Section>
  )
}

function Row({ brand }: { readonly brand: Brand }): ReactNode {
  const { key, domains, baseUrl, config } = brand
  const percent = new Intl.NumberFormat(formatTag(), { style: 'percent', maximumFractionDigits: 2 })
  const fee = config.processingFeePct
  return (
    <tr>
      <RowHead className="min-w-44">
        <RowLink to="/site/brands/$brandKey" params={{ brandKey: key }}>
          {config.theme.brandName}
        </RowLink>
        <span className="block font-mono font-normal text-dim text-sm">{key}</span>
      </RowHead>
      <Cell className="min-w-48 [overflow-wrap:anywhere]">
        {domains.length > 0
          ? domains.join(', ')
          : key === ownKey
            ? new URL(baseUrl).host
            : text('site.no-domain')}
      </Cell>
      <Cell className="tabular-nums">{fee === null ? text('site.no-fee') : percent.format(fee / 100)}</Cell>
      <Cell>{config.defaultPaymentToken}</Cell>
    </tr>
  )
}
