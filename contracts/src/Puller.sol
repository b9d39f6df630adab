// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

/// @title What stands behind the address that a buyer allows one payment to
/// @notice A buyer's permit names a puller as its spender. It takes tokens out of that allowance when the factory
/// says so, and the factory says only what the puller's address was made of: so the allowance can pay one amount of
/// one token to one deposit address, and nothing else.
/// @dev Runs by delegation from the clones that `PullFactory` makes.
contract Puller {
    address private immutable FACTORY = msg.sender;

    /// @notice The caller is not the factory.
    error OnlyFactory();

    /// @notice Moves `amount` of `token` from `owner` to `deposit`, out of the allowance of this address. Only the
    /// factory, which knows what this address stands for.
    /// @dev The token must answer true or nothing, and must be a contract.
    function pull(address token, address owner, address deposit, uint256 amount) external {
        if (msg.sender != FACTORY) revert OnlyFactory();
        SafeTransferLib.safeTransferFrom(token, owner, deposit, amount);
    }
}
