import { scaleLinear } from 'd3-scale'
import { type ReactNode, useId, useState } from 'react'
import { money } from '../../format/money.ts'
import { formatTag, text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Cell, HeadCell, RowHead, Table } from '../../parts/table.tsx'
import type { Summary } from './totals.tsx'

type Point = NonNullable<Summary['series']>[number]
type Interval = 'hour' | 'day' | 'week' | 'month'

/** Shows the paid amounts per interval in US dollars, as bars and as a table. */
export function Chart({
  series,
  interval,
}: {
  readonly series: readonly Point[]
  readonly interval: Interval
}): ReactNode {
  const [isTable, setTable] = useState(false)
  return (
    <Card
      title={text('overview.chart')}
      note={text('overview.chart.note')}
      action={
        <Button aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {text(isTable ? 'overview.chart.as-chart' : 'overview.chart.as-table')}
        </Button>
      }
    >
      {series.every(({ paidCount }) => paidCount === 0) && !isTable ? (
        <p className="grid h-44 place-items-center rounded-xl bg-soft text-dim">
          {text('overview.chart.none')}
        </p>
      ) : isTable ? (
        <PointTable series={series} interval={interval} />
      ) : (
        <Bars series={series} interval={interval} />
      )}
    </Card>
  )
}

const width = 960
const height = 240
const inset = { start: 64, top: 12, bottom: 28 }
const mostLabels = 8
const wantedTicks = 4
/** On a phone, the chart shrinks to a third of its size, so its text is enlarged. */
const label = 'fill-dim text-[15px] max-sm:text-[34px]'

function Bars({
  series,
  interval,
}: {
  readonly series: readonly Point[]
  readonly interval: Interval
}): ReactNode {
  const id = useId()
  const highest = Math.max(0, ...series.map(({ paidUsd }) => paidUsd))
  const y = scaleLinear()
    .domain([0, highest || 1])
    .nice(wantedTicks)
    .range([height - inset.bottom, inset.top])
  const step = (width - inset.start) / Math.max(1, series.length)
  const every = Math.ceil(series.length / mostLabels)
  const bar = Math.min(48, step * 0.7)
  const axis = new Intl.NumberFormat(formatTag(), { style: 'currency', currency: 'USD', notation: 'compact' })
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-labelledby={id}
      className="h-auto w-full overflow-visible max-sm:mb-2"
    >
      <title id={id}>
        {text('overview.chart.summary', { highest: money(highest), count: series.length })}
      </title>
      {y.ticks(wantedTicks).map((tick) => (
        <g key={tick}>
          <line x1={inset.start} x2={width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          <text x={inset.start - 10} y={y(tick) + 5} textAnchor="end" className={label}>
            {axis.format(tick)}
          </text>
        </g>
      ))}
      {series.map(({ from, paidUsd, paidCount }, i) => {
        const x = inset.start + i * step + step / 2
        const top = y(paidUsd)
        return (
          <g key={from}>
            <rect
              x={x - bar / 2}
              y={top}
              width={bar}
              height={Math.max(0, height - inset.bottom - top)}
              rx={3}
              className="fill-accent"
            >
              <title>{`${labelOf(from, interval)}: ${money(paidUsd)} · ${text('overview.count', { count: paidCount })}`}</title>
            </rect>
            {i % every === 0 ? (
              <text
                x={x}
                y={height - 6}
                textAnchor="middle"
                className={`${label} max-sm:translate-y-3 ${(i / every) % 2 === 1 ? 'max-sm:hidden' : ''}`}
              >
                {labelOf(from, interval)}
              </text>
            ) : null}
          </g>
        )
      })}
    </svg>
  )
}

function PointTable({
  series,
  interval,
}: {
  readonly series: readonly Point[]
  readonly interval: Interval
}): ReactNode {
  const head = (
    <>
      <HeadCell>{text('overview.column.from')}</HeadCell>
      <HeadCell className="text-end">{text('overview.column.made')}</HeadCell>
      <HeadCell className="text-end">{text('overview.column.paid-count')}</HeadCell>
      <HeadCell className="text-end">{text('overview.column.paid')}</HeadCell>
    </>
  )
  return (
    <Table label={text('overview.chart')} head={head}>
      {series.map(({ from, count, paidCount, paidUsd }) => (
        <tr key={from}>
          <RowHead className="whitespace-nowrap">{labelOf(from, interval)}</RowHead>
          <Cell isAmount>{count}</Cell>
          <Cell isAmount>{paidCount}</Cell>
          <Cell isAmount>{money(paidUsd)}</Cell>
        </tr>
      ))}
    </Table>
  )
}

const forms = {
  hour: { hour: 'numeric', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: '2-digit' },
} as const

function labelOf(from: number, interval: Interval): string {
  return new Intl.DateTimeFormat(formatTag(), forms[interval]).format(from)
}
