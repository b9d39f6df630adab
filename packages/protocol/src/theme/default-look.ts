export const defaultLook = {
  primaryColor: '#0b5d66',
  secondaryColor: '#eaf2f2',
  textColor: '#14222a',
  accentColor: '#0b5d66',
  brandLogoUrl: '',
  coverPhotoUrl: '',
  fontFamily: '',
  logoShape: 'square',
  heroFontSize: 'medium',
} as const
