import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { Page } from 'playwright-core'

const require = createRequire(new URL('../../apps/server/package.json', import.meta.url))
const host = 'http://fonts.gallery.example'
const packages = ['noto-sans-arabic', 'noto-sans-sc']

/**
 * Gives a page the signs of Arabic, Chinese and Japanese, which every device of a buyer has and the browser of the
 * pictures has not: a page in English those of the names of other languages.
 */
export async function addFonts(page: Page, language: string): Promise<void> {
  const folders = packages.map((name) =>
    dirname(require.resolve(`@fontsource-variable/${name}/package.json`)),
  )
  await page.route(`${host}/**`, (route) => {
    const name = basename(new URL(route.request().url()).pathname)
    const folder = folders.find((each) => name.startsWith(basename(each))) ?? ''
    const body = readFileSync(join(folder, 'files', name))
    return route.fulfill({ body, contentType: 'font/woff2', headers: { 'access-control-allow-origin': '*' } })
  })
  const faces = folders.map((folder) =>
    readFileSync(join(folder, 'index.css'), 'utf8').replaceAll('./files/', `${host}/`),
  )
  const names = ['"Noto Sans Arabic Variable"', '"Noto Sans SC Variable"', 'system-ui', 'sans-serif']
  const use =
    language === 'en'
      ? ':not(html):is([lang=zh],[lang=ja]){font-family:"Noto Sans SC Variable"}'
      : `:root{--font:${names.join(',')}}`
  await page.addStyleTag({ content: faces.join('') + use })
  await page.evaluate('document.body.offsetHeight')
}
