import type { Receipt } from './receipt.ts'

export type AfterPayment = { readonly url: string | undefined; readonly script: string | undefined }

/**
 * Returns the URL for the buyer after payment: `returnUrl`, else the URL in `onSuccess`, else `redirect_url`.
 * `script` is `onSuccess`, unless it is a URL or only navigates to one.
 */
export function afterPayment(
  receipt: Pick<Receipt, 'returnUrl' | 'onSuccess' | 'redirectUrl'>,
): AfterPayment {
  const said = readOnSuccess(receipt.onSuccess ?? '')
  return { url: receipt.returnUrl ?? said.url ?? receipt.redirectUrl, script: said.script }
}

const navigation =
  /^(?:(?:window|self|top|parent|document|globalThis)\.)*location(?:\.href)?\s*=\s*(["'`])([^"'`\\]*)\1\s*;?$/
const navigationCall =
  /^(?:(?:window|self|top|parent|document|globalThis)\.)*location\.(?:assign|replace)\(\s*(["'`])([^"'`\\]*)\1\s*\)\s*;?$/

function readOnSuccess(onSuccess: string): AfterPayment {
  const text = onSuccess.trim()
  const target = navigation.exec(text)?.[2] ?? navigationCall.exec(text)?.[2]
  const url = httpsUrl(target ?? text)
  if (url !== undefined) return { url, script: undefined }
  // A URL that is not followed is not a script. The same applies to a script that only navigates to such a
  // URL.
  const isNothing = text === '' || target !== undefined || /^[a-z][a-z0-9+.-]*:(\/\/|\S*$)/i.test(text)
  return { url: undefined, script: isNothing ? undefined : onSuccess }
}

function httpsUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password } = new URL(text)
  return protocol === 'https:' && username === '' && password === '' ? text : undefined
}
