import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { buttonClass } from '../../parts/button.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useRole } from '../../session/use-role.ts'
import { ProfileForm } from './profile-form.tsx'
import { useShop } from './shop-config.ts'
import { ShopTabs } from './shop-tabs.tsx'

export function ShopProfile(): ReactNode {
  const shop = useShop()
  const { isManager } = useRole()
  const slug = shop.data?.slug
  return (
    <>
      <PageHeader title={text('shop.title')} note={text('shop.note')}>
        {slug ? (
          <a href={`/shop/${slug}`} target="_blank" rel="noopener" className={buttonClass('quiet')}>
            {text('shop.open')} <span aria-hidden="true">↗</span>
          </a>
        ) : null}
      </PageHeader>
      <ShopTabs />
      <QueryView query={shop}>
        {(found) => (
          <fieldset disabled={!isManager} className="min-w-0">
            <ProfileForm key={found?.updatedAt} shop={found} />
          </fieldset>
        )}
      </QueryView>
    </>
  )
}
