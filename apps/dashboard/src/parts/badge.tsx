import type { ReactNode } from 'react'

const tones = {
  good: 'bg-good-soft text-good',
  wait: 'bg-wait-soft text-wait',
  bad: 'bg-bad-soft text-bad',
  plain: 'bg-soft text-dim',
} as const

/** Shows a state as a word, an icon and a color, so that color is never the only signal. */
export function Badge({
  tone = 'plain',
  sign,
  children,
}: {
  readonly tone?: keyof typeof tones
  readonly sign: string
  readonly children: ReactNode
}): ReactNode {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-sm font-medium whitespace-nowrap ${tones[tone]}`}
    >
      <span aria-hidden="true">{sign}</span>
      {children}
    </span>
  )
}
