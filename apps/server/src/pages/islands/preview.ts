import { fill } from './stage.ts'

const root = document.documentElement

const darkRules = [...document.styleSheets]
  .flatMap(({ cssRules }) => [...cssRules])
  .filter((rule) => rule instanceof CSSMediaRule)
  .filter(({ media }) => /prefers-color-scheme:\s*dark/.test(media.mediaText))

function showScheme(scheme: PreviewLook['scheme']): void {
  root.style.colorScheme = scheme
  for (const { media } of darkRules) media.mediaText = scheme === 'dark' ? 'all' : 'not all'
}

function show(look: PreviewLook): void {
  showScheme(look.scheme)
  showVariables({ ...look.colours, ...(look.font !== undefined && { font: look.font }) })
  showName(look.name)
  showLogo(look)
  const hero = document.querySelector('.hero')
  hero?.classList.remove('microtext', 'small', 'medium', 'large', 'xlarge')
  hero?.classList.add(look.heroFontSize)
  showCover(hero, look.cover)
}

/** Sets style variables, and removes the previous look's variables so that the published values apply. */
function showVariables(variables: Readonly<Record<string, string>>): void {
  for (const name of [...root.style]) if (name.startsWith('--')) root.style.removeProperty(name)
  for (const [name, value] of Object.entries(variables)) root.style.setProperty(`--${name}`, value)
}

function showName(name: string): void {
  for (const element of document.querySelectorAll('.who h1, .shop-name, .hero-words h1'))
    element.textContent = name
}

function showLogo({ logo, logoShape, name }: PreviewLook): void {
  for (const mark of document.querySelectorAll('.mark')) {
    const next = document.createElement(logo ? 'img' : 'span')
    next.className = logo && logoShape === 'circle' ? 'mark round' : 'mark'
    if (next instanceof HTMLImageElement) {
      Object.assign(next, { src: logo, alt: '', width: 48, height: 48 })
    } else {
      next.ariaHidden = 'true'
      next.textContent = ([...name].find((sign) => /[\p{L}\p{N}]/u.test(sign)) ?? '•').toUpperCase()
    }
    mark.replaceWith(next)
  }
}

function showCover(hero: Element | null, cover: string): void {
  if (!hero) return
  hero.classList.toggle('covered', cover !== '')
  const before = hero.querySelector<HTMLImageElement>('img.cover')
  if (cover === '') {
    before?.remove()
    return
  }
  const picture = before ?? hero.insertBefore(document.createElement('img'), hero.firstChild)
  picture.className = 'cover'
  picture.removeAttribute('srcset')
  Object.assign(picture, { src: cover, alt: '' })
}

function showWallet(): void {
  const list = document.querySelector('[data-wallets]')
  const first = document.querySelector<HTMLTemplateElement>('template[data-step="wallet-first"]')
  const name = document.querySelector<HTMLTemplateElement>('template[data-text="browser-wallet"]')
  if (!list || !first || list.querySelector('a')) return
  const words = name?.content.textContent ?? ''
  const button = fill(first, { letter: words.slice(0, 1), wallet: words })
  button.querySelector('img')?.remove()
  button.querySelector('.hint')?.remove()
  list.replaceChildren(button)
}

if (parent !== window) {
  const stop = (event: Event) => event.preventDefault()
  for (const kind of ['click', 'submit']) document.addEventListener(kind, stop, { capture: true })
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || origin !== location.origin) return
    const look = readLook(data)
    if (!look) return
    show(look)
    requestAnimationFrame(() => parent.postMessage({ kind: 'sluice:look-shown', id: look.id }, origin))
  })
  showWallet()
  parent.postMessage({ kind: 'sluice:preview-ready' }, location.origin)
}

export type PreviewLook = {
  readonly id: number
  readonly scheme: 'light' | 'dark'
  /** Colors by style sheet variable; empty to keep the published colors. */
  readonly colours: Readonly<Record<string, string>>
  readonly font: string | undefined
  readonly name: string
  readonly logo: string
  readonly logoShape: string
  readonly cover: string
  readonly heroFontSize: string
}

/** Ignores invalid fields: colors must be six digits, images must use https. */
export function readLook(data: unknown): PreviewLook | undefined {
  const sent = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  if (sent.kind !== 'sluice:look') return undefined
  const text = (name: string) => (typeof sent[name] === 'string' ? String(sent[name]).slice(0, 2_048) : '')
  const picture = (name: string) => (text(name).startsWith('https://') ? text(name) : '')
  const sizes = ['microtext', 'small', 'medium', 'large', 'xlarge']
  const colours = Object.entries((sent.colours ?? {}) as Record<string, unknown>).filter(
    (entry): entry is [string, string] =>
      /^[a-z-]{2,20}$/.test(entry[0]) && /^#[0-9a-f]{6}$/.test(String(entry[1])),
  )
  return {
    id: Number(sent.id),
    scheme: sent.scheme === 'dark' ? 'dark' : 'light',
    colours: Object.fromEntries(colours),
    font: typeof sent.font === 'string' && /^[\w ,"-]{1,200}$/.test(sent.font) ? sent.font : undefined,
    name: text('name').slice(0, 200),
    logo: picture('logo'),
    logoShape: text('logoShape'),
    cover: picture('cover'),
    heroFontSize: sizes.find((size) => size === sent.heroFontSize) ?? 'medium',
  }
}
