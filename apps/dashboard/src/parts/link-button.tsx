import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { type ButtonLook, buttonClass } from './button.tsx'

function Anchor({
  look = 'quiet',
  className = '',
  ...rest
}: ComponentProps<'a'> & { look?: ButtonLook }): ReactNode {
  return <a {...rest} className={`${buttonClass(look)} ${className}`} />
}

export const LinkButton = createLink(Anchor)
