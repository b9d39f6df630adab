import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const { launchBrowser } = await import('/work/wt/store/apps/server/test/support/browser/browser.ts')
const [out, width, ...files] = process.argv.slice(2)
const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: Number(width) * files.length + 20, height: 900 } })
const imgs = files.map((f) => `<img style="width:${Number(width) - 10}px;margin:5px;vertical-align:top;border:1px solid #888" src="data:image/png;base64,${readFileSync(f).toString('base64')}">`)
await page.setContent(`<body style="margin:0;white-space:nowrap;background:#777">${imgs.join('')}</body>`)
await page.screenshot({ path: out, fullPage: true })
await browser.close()
