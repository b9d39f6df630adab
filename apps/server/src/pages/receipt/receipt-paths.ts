import type { Locale } from '../messages/locales.ts'

/** The addresses a receipt's page links to. */
export type ReceiptPaths = {
  /** This page, as a link that can be passed on. */
  readonly absolute: string
  readonly page: string
  readonly pdf: string
  readonly checkout: string
  readonly claim: string
  /** This page in another language. */
  inLanguage(locale: Locale): string
}

/** A receipt as an address names it. */
export type ReceiptAddress = {
  readonly id: string
  readonly recipient: string | undefined
  /** The signature of a private link. */
  readonly access: string | undefined
  /** The language, where the address says one. */
  readonly lang: string | undefined
}

/** The addresses around a receipt. The private link goes on to the PDF, and is printed on neither. */
export function receiptPaths(baseUrl: string, address: ReceiptAddress): ReceiptPaths {
  const { recipient, access, lang } = address
  const id = encodeURIComponent(address.id)
  const query = (more: Readonly<Record<string, string | undefined>>) => {
    const params = new URLSearchParams()
    for (const [name, value] of Object.entries(more)) if (value !== undefined) params.set(name, value)
    return params.size > 0 ? `?${params}` : ''
  }
  return {
    absolute: `${baseUrl}/receipt/${id}${query({ recipient })}`,
    page: `/receipt/${id}${query({ recipient, lang, access })}`,
    pdf: `/receipt/${id}.pdf${query({ recipient, lang, access })}`,
    checkout: `/pay/${id}${query({ recipient, lang })}`,
    claim: `/claim${query({ lang })}`,
    inLanguage: (locale) => `/receipt/${id}${query({ recipient, lang: locale, access })}`,
  }
}
