import { makeTheme } from '../../../src/pages/theme/make-theme.ts'
import type { PageTheme } from '../../../src/pages/theme/page-theme.ts'
import type { ThemeSettings } from '../../../src/pages/theme/theme-settings.ts'

/** Texts that run a script, or bring a style, where one of them is taken for something else than text; `ran` tells. */
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

const owner = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** A look in whose every setting `text` stands, but in those of `more`. */
export function hostileTheme(text: string, more: Partial<ThemeSettings> = {}): PageTheme {
  return makeTheme({
    brandName: text,
    primaryColor: text,
    secondaryColor: text,
    textColor: text,
    accentColor: text,
    fontFamily: text,
    logoShape: text as never,
    heroFontSize: text as never,
    logo: { owner, slot: 'logo', url: text },
    favicon: { owner, slot: 'icon', url: text },
    cover: { owner, slot: 'cover', url: text },
    receiptBackground: { owner, slot: 'background', url: text },
    ...more,
  })
}
