import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { BrandTable } from './brand-table.tsx'
import { MerchantTable } from './merchant-table.tsx'

export function Site(): ReactNode {
  return (
    <>
      <PageHeader title={text('site.title')} note={text('site.note')}>
        <LinkButton to="/site/brands/$brandKey" params={{ brandKey: 'new' }} look="main">
          {text('site.brand.new')}
        </LinkButton>
      </PageHeader>
      <div className="grid gap-8">
        <BrandTable />
        <MerchantTable />
      </div>
    </>
  )
}
