import type { ReactNode } from 'react'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { When } from '../../parts/when.tsx'
import type { Receipt } from './receipt.ts'
import { TimelineText, toneOf } from './timeline-text.tsx'

export function Timeline({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { timeline, timelineOmitted } = receipt
  const entries = timeline.toReversed()
  return (
    <Card title={text('receipt.timeline')}>
      {timelineOmitted > 0 ? (
        <p className="mb-3 text-dim text-sm">
          {text('receipt.timeline.omitted', { count: timelineOmitted })}
        </p>
      ) : null}
      <ol className="grid">
        {entries.map((entry, i) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and new entries come first
            key={entries.length - i}
            className="relative border-line border-s-2 ps-5 pb-5 last:pb-0"
          >
            <span
              aria-hidden="true"
              className={`absolute -start-[7px] top-1.5 size-3 rounded-full border-2 border-card ${toneOf(entry)}`}
            />
            <TimelineText entry={entry} />
            {/* The title attribute is visible only to mouse users. */}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users focus it to see the exact time */}
            <p tabIndex={0} className="group w-fit text-dim text-sm">
              <When at={entry.at} />
              <span className="hidden group-hover:block group-focus:block">
                <ExactTime at={entry.at} />
              </span>
            </p>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function ExactTime({ at }: { readonly at: number }): ReactNode {
  return <span className="tabular-nums">{new Date(at).toISOString()}</span>
}
