import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { percent } from '../../format/percent.ts'
import { text } from '../../messages/messages.ts'
import { Address } from '../../parts/address.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'

const signs = { scheduled: '◔', awaiting_deployment: '…', in_force: '✓', past: '○', cancelled: '✕' } as const

const lookEveryMs = 2_000

export function Versions(): ReactNode {
  const versions = useQuery({
    queryKey: ['split-versions'],
    queryFn: () => contentOf(api.GET('/api/split/versions')),
    refetchInterval: ({ state }) => (state.data?.versions.some(isAwaited) ? lookEveryMs : false),
  })
  return (
    <Section title={text('split.versions')} note={text('split.versions.note')}>
      <QueryView query={versions} loading={<Skeleton rows={2} />}>
        {(found) => (
          <Table label={text('split.versions')} head={<Head />}>
            {found.versions.map((version) => (
              <tr key={version.version}>
                <RowHead>{version.version}</RowHead>
                <Cell className="whitespace-nowrap">
                  <span aria-hidden="true">{signs[version.state]} </span>
                  {text(`split.state.${version.state}`)}
                </Cell>
                <Cell>
                  <When at={version.inForceAt ?? version.cancelledAt ?? version.effectiveAt} />
                </Cell>
                <Cell className="min-w-64 text-sm">
                  {version.recipients.map(({ address, sharesBps }) => (
                    <span key={address} className="flex justify-between gap-4">
                      <code title={address}>{`${address.slice(0, 8)}…${address.slice(-6)}`}</code>
                      <span className="tabular-nums">{percent(sharesBps)}</span>
                    </span>
                  ))}
                </Cell>
                <Cell className="min-w-72">
                  <Address value={version.address} />
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
    </Section>
  )
}

type Version =
  operations['getSplitVersions']['responses'][200]['content']['application/json']['versions'][number]

function isAwaited({ state, effectiveAt }: Version): boolean {
  return state === 'awaiting_deployment' || (state === 'scheduled' && effectiveAt <= Date.now())
}

function Head(): ReactNode {
  return (
    <>
      <HeadCell>{text('split.version')}</HeadCell>
      <HeadCell>{text('split.column.state')}</HeadCell>
      <HeadCell>{text('split.column.since')}</HeadCell>
      <HeadCell>{text('split.recipients')}</HeadCell>
      <HeadCell>{text('split.contract')}</HeadCell>
    </>
  )
}
