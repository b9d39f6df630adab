// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Tether for a local chain: worth nothing, minted by anyone
/// @notice As awkward as the real one: `transfer`, `transferFrom` and `approve` return nothing, an allowance
/// cannot go from one amount to another without passing zero, and an address can be blocked. Anyone may block,
/// so that tests can. No signatures of any kind.
/// @dev No constructor and no immutables: the runtime code works wherever it is put.
contract TestUSDT {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;

    uint256 public totalSupply;
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public isBlocked;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error Blocked(address account);
    error AllowanceNotZero();

    /// @notice Makes `amount` base units for `to`. Anyone may.
    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    /// @notice Stops `account` from sending and receiving, or lets it again. Anyone may.
    function setBlocked(address account, bool blocked) external {
        isBlocked[account] = blocked;
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
    }

    function approve(address spender, uint256 amount) external {
        if (amount != 0 && allowance[msg.sender][spender] != 0) revert AllowanceNotZero();
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
    }

    function _move(address from, address to, uint256 amount) private {
        if (isBlocked[from]) revert Blocked(from);
        if (isBlocked[to]) revert Blocked(to);
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}
