import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { isSame } from './draft-store.ts'
import { lookOf, type Scheme } from './look.ts'
import type { ShopTheme } from './shop-config.ts'

type Device = 'phone' | 'desktop'
type Page = 'checkout' | 'shop'

const desktopWidth = 1_200
const height = 720

/** Shows the real page in a frame. The page receives changes as messages, without a reload. */
export function PreviewFrame({
  theme,
  published,
  name,
  merchant,
  form,
}: {
  readonly theme: ShopTheme
  readonly published: ShopTheme
  readonly name: string
  readonly merchant: string
  /** Layout parameters of the shop page. */
  readonly form: Readonly<Record<string, string>>
}): ReactNode {
  const [page, setPage] = useState<Page>('checkout')
  const [device, setDevice] = useState<Device>('phone')
  const [scheme, setScheme] = useState<Scheme>('light')
  // The page was rendered with the theme that was published when it loaded.
  const [base] = useState(published)
  const isRepublished = !isSame(base, published)
  const frame = useRef<HTMLIFrameElement>(null)
  const count = useRef(0)
  const report = useCallback(() => {
    count.current += 1
    const look = lookOf(theme, { base: isRepublished ? undefined : base, scheme, name, id: count.current })
    frame.current?.contentWindow?.postMessage(look, location.origin)
  }, [theme, base, isRepublished, scheme, name])
  useEffect(() => {
    report()
    const hear = ({ source, origin, data }: MessageEvent) => {
      const isReady = (data as { kind?: string } | null)?.kind === 'sluice:preview-ready'
      if (source === frame.current?.contentWindow && origin === location.origin && isReady) report()
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [report])
  const query = new URLSearchParams({ merchant, device, ...(page === 'shop' && form) })
  return (
    <section
      aria-label={text('shop.preview')}
      className="grid min-w-0 content-start gap-3 xl:sticky xl:top-4 xl:self-start"
    >
      <div className="flex flex-wrap gap-3">
        <Switch<Page>
          label={text('shop.preview.page')}
          value={page}
          onChange={setPage}
          options={[
            ['checkout', text('shop.preview.checkout')],
            ['shop', text('shop.preview.shop')],
          ]}
        />
        <Switch<Device>
          label={text('shop.preview.device')}
          value={device}
          onChange={setDevice}
          options={[
            ['phone', text('shop.preview.phone')],
            ['desktop', text('shop.preview.desktop')],
          ]}
        />
        <Switch<Scheme>
          label={text('shop.preview.scheme')}
          value={scheme}
          onChange={setScheme}
          options={[
            ['light', text('shop.preview.light')],
            ['dark', text('shop.preview.dark')],
          ]}
        />
      </div>
      <Scaled device={device}>
        <iframe
          // A new key replaces the frame, because a new `src` would add an entry to the browser's history.
          key={`${page} ${device}`}
          ref={frame}
          title={text('shop.preview')}
          src={`/preview/${page}?${query}`}
          className="size-full border-0"
        />
      </Scaled>
      <p className="text-dim text-sm">{text('shop.preview.note')}</p>
    </section>
  )
}

function Scaled({ device, children }: { readonly device: Device; readonly children: ReactNode }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const scale = device === 'phone' || width === 0 ? 1 : Math.min(1, width / desktopWidth)
  return (
    <div ref={box} className="overflow-hidden rounded-2xl border border-line bg-soft" style={{ height }}>
      <div
        className={
          device === 'phone' ? 'mx-auto h-full w-full max-w-[390px]' : 'origin-top-left rtl:origin-top-right'
        }
        style={
          device === 'phone'
            ? {}
            : { width: desktopWidth, height: height / scale, transform: `scale(${scale})` }
        }
      >
        {children}
      </div>
    </div>
  )
}

function Switch<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  onChange(value: Value): void
}): ReactNode {
  return (
    <fieldset className="flex rounded-xl border border-line bg-card p-1">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, words]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => onChange(option)}
          className={`min-h-9 rounded-lg px-3 font-semibold text-sm ${option === value ? 'bg-accent text-on-accent' : 'text-dim hover:bg-soft'}`}
        >
          {words}
        </button>
      ))}
    </fieldset>
  )
}
