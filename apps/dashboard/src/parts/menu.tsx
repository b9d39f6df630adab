import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'

const Close = createContext<() => void>(() => {})

export function Menu({
  label,
  face,
  className = '',
  listClassName = 'start-0 sm:start-auto sm:end-0',
  children,
}: {
  readonly label: string
  /** Content of the button. If set, the label is only the accessible name. */
  readonly face?: ReactNode
  readonly className?: string
  readonly listClassName?: string
  readonly children: ReactNode
}): ReactNode {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isOpen) itemsIn(list.current)[0]?.focus()
  }, [isOpen])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    const items = itemsIn(list.current)
    const place = items.indexOf(document.activeElement as HTMLElement)
    const places = { ArrowDown: place + 1, ArrowUp: place - 1 + items.length, Home: 0, End: items.length - 1 }
    const next = places[event.key as keyof typeof places]
    if (next === undefined) return
    event.preventDefault()
    items[next % items.length]?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the container only listens for a lost focus
    <div
      className="relative min-w-0"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false)
      }}
    >
      <Button
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={face ? label : undefined}
        className={className}
        onClick={() => setOpen(!isOpen)}
      >
        {face ?? label} <span aria-hidden="true">▾</span>
      </Button>
      <div
        ref={list}
        id={id}
        role="menu"
        tabIndex={-1}
        aria-label={label}
        hidden={!isOpen}
        onKeyDown={hear}
        className={`absolute z-20 mt-1.5 max-h-[70vh] w-max min-w-56 max-w-[80vw] overflow-y-auto rounded-xl border border-line bg-card p-1.5 shadow-xl ${listClassName}`}
      >
        <Close value={close}>{isOpen ? children : null}</Close>
      </div>
    </div>
  )
}

export function MenuItem({
  onSelect,
  isDangerous = false,
  isChosen,
  children,
}: {
  onSelect(): void
  readonly isDangerous?: boolean
  /** If set, the item is a radio item, and this is whether it is selected. */
  readonly isChosen?: boolean
  readonly children: ReactNode
}): ReactNode {
  const close = useContext(Close)
  return (
    <button
      type="button"
      {...(isChosen === undefined
        ? { role: 'menuitem' }
        : { role: 'menuitemradio', 'aria-checked': isChosen })}
      tabIndex={-1}
      onClick={() => {
        close()
        onSelect()
      }}
      className={`flex min-h-11 w-full items-center rounded-lg px-3 py-2 text-start hover:bg-soft focus:bg-soft ${isDangerous ? 'text-bad' : ''}`}
    >
      {children}
    </button>
  )
}

function itemsIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
}
