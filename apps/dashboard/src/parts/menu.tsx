import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'

/** What can be done beside the main thing, behind one button. */
export function Menu({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="inline-flex min-h-11 items-center gap-2 rounded-xl border border-line bg-card px-4 py-2 font-semibold hover:bg-soft">
        {label} <span aria-hidden="true">▾</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-20 grid min-w-56 rounded-xl border border-line bg-card p-1.5 shadow-xl"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** One thing that can be done. */
export function MenuItem({
  onSelect,
  isDangerous = false,
  children,
}: {
  onSelect(): void
  readonly isDangerous?: boolean
  readonly children: ReactNode
}): ReactNode {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className={`flex min-h-10 cursor-pointer items-center rounded-lg px-3 py-2 outline-none data-highlighted:bg-soft ${isDangerous ? 'text-bad' : ''}`}
    >
      {children}
    </DropdownMenu.Item>
  )
}
