import { makeTheme } from '../../../src/pages/theme/make-theme.ts'
import type { PageTheme } from '../../../src/pages/theme/page-theme.ts'
import type { ThemeSettings } from '../../../src/pages/theme/theme-settings.ts'

/** Texts that run `ran(…)` or apply a style if a page takes them for anything but text. */
export const hostileTexts: readonly string[] = [
  `<script>ran('script')</script>`,
  `</title></style></script><script>ran('end tag')</script>`,
  `"><img src=x onerror=ran('double')>`,
  `'><img src=x onerror=ran('single')>`,
  `\`><img src=x onerror=ran('backtick')>`,
  `' autofocus onfocus='ran("attribute")' x='`,
  `" autofocus onfocus="ran('attribute')" style="position:fixed;inset:0" x="`,
  `</textarea></select></template></noscript><svg onload=ran('svg')>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=ran('mutation')>`,
  `<iframe srcdoc="<script>parent.ran('frame')</script>"></iframe>`,
  `<a href="javascript:ran('link')">x</a><base href="https://evil.example/">`,
  `javascript:ran('address')//https://x`,
  `data:text/html,<script>ran('data')</script>`,
  `red;}</style><script>ran('colour')</script><style>*{display:none}`,
  `url(https://evil.example/x.png)`,
  `@import "https://evil.example/x.css"; expression(ran('old'))`,
  `{name} {x, plural, other {<strong>ran('icu')</strong>}} '{'`,
  `\u202e<script>ran('turned')</script>\u2028\u2029`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/"><link rel=stylesheet href=//evil.example>`,
]

/** Returns a theme with `text` in every setting except those in `more`. */
export function hostileTheme(text: string, more: Partial<ThemeSettings> = {}): PageTheme {
  const owner = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
  const texts = ['brandName', 'primaryColor', 'secondaryColor', 'textColor', 'accentColor', 'fontFamily']
  const sizes = ['logoShape', 'heroFontSize']
  const images = Object.entries({
    logo: 'logo',
    favicon: 'icon',
    cover: 'cover',
    receiptBackground: 'background',
  })
  return makeTheme({
    ...Object.fromEntries([...texts, ...sizes].map((name) => [name, text])),
    ...Object.fromEntries(images.map(([name, slot]) => [name, { owner, slot, url: text }])),
    ...more,
  } as ThemeSettings)
}
