/** A look that the web app asks a preview for. */
export type PreviewLook = {
  readonly id: number
  readonly scheme: 'light' | 'dark'
  /** By the names of the style sheets; none: as they are. */
  readonly colours: Readonly<Record<string, string>>
  readonly font: string | undefined
  readonly name: string
  readonly logo: string
  readonly logoShape: string
  readonly cover: string
  readonly heroFontSize: string
}

/** What is none of it is passed over: colours are our six digits, pictures lie on https. */
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
