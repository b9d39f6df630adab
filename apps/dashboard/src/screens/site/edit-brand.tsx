import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { BrandForm } from './brand-form.tsx'
import { useBrands } from './brands.ts'

export function EditBrand(): ReactNode {
  const { brandKey } = useParams({ from: '/site/brands/$brandKey' })
  const brands = useBrands()
  return (
    <>
      <BackLink to="/site">{text('site.back')}</BackLink>
      <QueryView query={brands}>
        {(found) => {
          const brand = found.find(({ key }) => key === brandKey)
          if (!brand && brandKey !== 'new') return <Notice title={text('site.brand.unknown')} />
          return (
            <>
              <PageHeader
                title={brand?.config.theme.brandName ?? text('site.brand.new')}
                note={brand ? brand.baseUrl : text('site.brand.new-note')}
              />
              <BrandForm key={brand?.updatedAt ?? 'new'} brand={brand} taken={found.map(({ key }) => key)} />
            </>
          )
        }}
      </QueryView>
    </>
  )
}
