import type { ReactNode } from 'react'

const looks = {
  good: 'bg-good-soft text-good',
  wait: 'bg-wait-soft text-wait',
  bad: 'bg-bad-soft text-bad',
  quiet: 'bg-soft text-dim',
} as const

/** A state as sign, word and colour. */
export function Sign({
  tone,
  sign,
  children,
}: {
  readonly tone: keyof typeof looks
  readonly sign: string
  readonly children: ReactNode
}): ReactNode {
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap rounded-full px-2.5 py-0.5 font-medium text-sm ${looks[tone]}`}
    >
      <span aria-hidden="true">{sign}</span>
      {children}
    </span>
  )
}
