import { html } from '@remix-run/html-template'
import type { PageAnswer } from '../html/answer-page.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import type { StoreContext } from './store-context.ts'
import { storeDocument } from './store-document.ts'

const statusOf = { 'not-found': 404, 'sent-elsewhere': 403 } as const

/** A page of a shop that says that what was asked for is not there, or was not asked by a page of the shop. */
export function answerStore(context: StoreContext, why: keyof typeof statusOf): PageAnswer {
  const { t, pathTo, shop } = context
  const title = t.text(`store.${why}.title`)
  const page = storeDocument(context, {
    title: t.text('store.title', { page: title, name: shop.name }),
    skip: { id: 'message', text: t.text('store.skip-message') },
    body: html`
<main class="wide" id="message" tabindex="-1"><div class="empty"><h1>${title}</h1><p>${t.text(`store.${why}.text`)}</p><p><a class="button" href="${pathTo()}">${t.text('store.see-everything')}</a></p></div></main>`,
  })
  return { status: statusOf[why], html: page, allow: { forms: true } }
}

/** The page where no shop has this name. */
export function answerNoShop(frame: PageFrame): PageAnswer {
  const { t } = frame
  const title = t.text('store.no-shop.title')
  const page = htmlDocument({
    ...frame,
    locale: t.locale,
    title,
    style: frame.assets.styles.store,
    body: html`<main class="wide"><div class="empty"><h1>${title}</h1><p>${t.text('store.no-shop.text')}</p><p><a class="button" href="/">${t.text('site.unknown.home')}</a></p></div></main>`,
  })
  return { status: 404, html: page }
}
