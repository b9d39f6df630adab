import type { ComponentProps, ReactNode } from 'react'

const looks = {
  main: 'bg-accent text-on-accent border-accent hover:brightness-110',
  quiet: 'bg-card text-ink border-line hover:bg-soft',
  danger: 'bg-card text-bad border-line hover:bg-bad-soft',
} as const

/** Style of a button. A screen has at most one `main` button. */
export type ButtonLook = keyof typeof looks

export function buttonClass(look: ButtonLook): string {
  return `inline-flex min-h-11 items-center justify-center gap-2 rounded-xl border px-4 py-2 font-semibold transition disabled:opacity-60 ${looks[look]}`
}

export function Button({
  look = 'quiet',
  className = '',
  ...rest
}: ComponentProps<'button'> & { readonly look?: ButtonLook }): ReactNode {
  return <button type="button" {...rest} className={`${buttonClass(look)} ${className}`} />
}
