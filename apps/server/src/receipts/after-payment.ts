import type { Receipt } from './receipt.ts'

/** What happens once a receipt is paid: where the buyer goes, and the merchant's script that runs. */
export type AfterPayment = { readonly url: string | undefined; readonly script: string | undefined }

/**
 * Where the buyer goes once the receipt is paid: `returnUrl`, else what `onSuccess` says, else `redirect_url`. And the
 * script in `onSuccess`, where that is neither a URL nor a mere way to one.
 */
export function afterPayment(
  receipt: Pick<Receipt, 'returnUrl' | 'onSuccess' | 'redirectUrl'>,
): AfterPayment {
  const said = readOnSuccess(receipt.onSuccess ?? '')
  return { url: receipt.returnUrl ?? said.url ?? receipt.redirectUrl, script: said.script }
}

/** A script that does nothing but go to a page, in the ways scripts do that. */
const navigation =
  /^(?:(?:window|self|top|parent|document|globalThis)\.)*location(?:\.href)?\s*=\s*(["'`])([^"'`\\]*)\1\s*;?$/
const navigationCall =
  /^(?:(?:window|self|top|parent|document|globalThis)\.)*location\.(?:assign|replace)\(\s*(["'`])([^"'`\\]*)\1\s*\)\s*;?$/

function readOnSuccess(onSuccess: string): AfterPayment {
  const text = onSuccess.trim()
  const target = navigation.exec(text)?.[2] ?? navigationCall.exec(text)?.[2]
  const url = httpsUrl(target ?? text)
  if (url !== undefined) return { url, script: undefined }
  // A URL that is not followed is no script either, and going to one is nothing else.
  const isNothing = text === '' || target !== undefined || /^[a-z][a-z0-9+.-]*:(\/\/|\S*$)/i.test(text)
  return { url: undefined, script: isNothing ? undefined : onSuccess }
}

function httpsUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password } = new URL(text)
  return protocol === 'https:' && username === '' && password === '' ? text : undefined
}
