// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The one function of Permit2 that is called here
/// @notice Permit2 moves a token out of the allowance that its owner gave it once, by the owner's signature for one
/// spender. It stands at one address on every chain.
interface IPermit2 {
    /// @dev What may be taken.
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    /// @dev What is signed, beside the spender, which is the caller, and the witness.
    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    /// @dev What the spender takes of it, and for whom.
    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    /// @notice Moves what `owner` signed for the caller, once for each nonce.
    /// @param witness Hash of what the signature says besides.
    /// @param witnessTypeString The rest of the signature's EIP-712 type, from the witness's name on.
    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}
