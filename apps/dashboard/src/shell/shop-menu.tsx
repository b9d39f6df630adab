import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import type { OwnMerchant } from '../service/use-merchants.ts'
import { shortWallet } from './account.tsx'
import { roleName } from './forbidden.tsx'

export default function ShopMenu({
  name,
  face,
  merchants,
}: {
  readonly name: string
  readonly face: ReactNode
  readonly merchants: readonly OwnMerchant[]
}): ReactNode {
  const navigate = useNavigate()
  // Navigates, so that unsaved changes are protected. The merchant is in the history state, which a link
  // cannot set.
  const choose = ({ merchantWallet }: OwnMerchant) =>
    navigate({ to: '/switch', state: { merchant: merchantWallet } })
  return (
    <Menu
      label={text('app.shops', { name })}
      face={<span className="flex min-w-0 items-center gap-3">{face}</span>}
      className="!justify-start -ms-2 min-w-0 max-w-full !border-transparent !px-2 !py-1"
      listClassName="start-0"
    >
      {merchants.map((merchant) => (
        <MenuItem
          key={merchant.merchantWallet ?? ''}
          isChosen={merchant.isCurrent}
          onSelect={() => {
            if (!merchant.isCurrent) void choose(merchant)
          }}
        >
          <span aria-hidden="true" className="w-6 shrink-0 text-accent">
            {merchant.isCurrent ? '✓' : ''}
          </span>
          <span className="grid min-w-0">
            <Name merchant={merchant} />
            <span className="text-dim text-sm">{roleName(merchant.role)}</span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  )
}

function Name({ merchant: { shopName, merchantWallet } }: { readonly merchant: OwnMerchant }): ReactNode {
  if (shopName) return <bdi className="font-medium [overflow-wrap:anywhere]">{shopName}</bdi>
  if (merchantWallet === null) return <span className="font-medium">{text('app.shops.platform')}</span>
  return <span className="font-mono text-sm">{shortWallet(merchantWallet)}</span>
}
