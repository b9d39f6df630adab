/**
 * A newer copy of a page, without the style of its theme: that has the nonce of its own policy, which the policy of this
 * page does not know, and would report.
 */
export function parsePage(text: string): Document {
  return new DOMParser().parseFromString(text.replace(/<style[^>]*>[^<]*<\/style>/g, ''), 'text/html')
}
