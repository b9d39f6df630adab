import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { Address } from '../../parts/address.tsx'
import { Card, Fact } from '../../parts/card.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useSession } from '../../session/session-context.ts'
import { DeployProgress } from './deploy-progress.tsx'
import { Donut } from './donut.tsx'
import { PendingChange } from './pending-change.tsx'
import { RecipientTable } from './recipient-table.tsx'
import { Release } from './release.tsx'
import { Transactions } from './transactions.tsx'
import { type Split, useSplit } from './use-split.ts'
import { Versions } from './versions.tsx'
import { Waiting } from './waiting.tsx'

export function SplitScreen(): ReactNode {
  const split = useSplit()
  const role = useSession().session?.role
  const isSet = split.data?.address !== null
  const mayChange = role === 'owner' || (role === 'admin' && !isSet)
  return (
    <>
      <PageHeader title={text('split.title')} note={text('split.note')}>
        {mayChange && split.data ? (
          <LinkButton to="/split/recipients" look="main">
            {text(isSet ? 'split.change' : 'split.set-up')}
          </LinkButton>
        ) : null}
      </PageHeader>
      <QueryView query={split} isEmpty={({ address }) => address === null} empty={<NoSplit />}>
        {(found) => <Content split={found} />}
      </QueryView>
    </>
  )
}

function Content({ split }: { readonly split: Split }): ReactNode {
  return (
    <div className="grid gap-6">
      {split.deployed ? null : <DeployProgress split={split} />}
      {split.pending ? <PendingChange pending={split.pending} /> : null}
      <Card title={text('split.current')} note={text('split.current.note')}>
        <div className="grid items-center gap-6 lg:grid-cols-[auto_minmax(0,1fr)]">
          <Donut shares={split.recipients} />
          <RecipientTable shares={split.recipients} />
        </div>
        <dl className="mt-4">
          <Fact term={text('split.contract')}>
            {split.address ? <Address value={split.address} /> : null}
          </Fact>
          <Fact term={text('split.version')}>{split.version}</Fact>
        </dl>
      </Card>
      <Release split={split} />
      <Waiting />
      <Transactions />
      <Versions />
    </div>
  )
}

function NoSplit(): ReactNode {
  return (
    <Notice title={text('split.none.title')}>
      <p>{text('split.none.text')}</p>
    </Notice>
  )
}
