// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {
    BurningRecipient, MoodyRecipient, ReentrantRecipient, RevertingRecipient
} from "../mocks/Recipients.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract SplitHandler is Bench {
    MerchantSplit public split;
    address[] public payees;
    mapping(address token => uint256) public received;
    uint256 public payeesThatMayRefuse = 3;

    constructor() {
        for (uint256 i; i < payeesThatMayRefuse; ++i) {
            payees.push(address(new MoodyRecipient()));
        }
        payees.push(address(new ReentrantRecipient()));
        payees.push(person("an ordinary account"));
        payees.push(address(new RevertingRecipient()));
        payees.push(address(new BurningRecipient()));
        uint32[] memory bps = new uint32[](payees.length);
        uint32[7] memory uneven = [uint32(3_333), 1, 49, 617, 5_000, 900, 100];
        for (uint256 i; i < bps.length; ++i) {
            bps[i] = uneven[i];
        }
        split = splitOf(payees, bps);
    }

    function payPlainly(uint8 token, uint96 amount) external {
        address t = tokenAt(token);
        if (t == ETH) give(address(split), amount);
        else mint(t, address(split), amount);
        received[t] += amount;
    }

    function payUnderReference(uint8 token, uint96 amount, bytes32 ref) external {
        address t = tokenAt(token);
        if (amount == 0) amount = 1;
        if (t == ETH) {
            vm.deal(address(this), amount);
            split.pay{value: amount}(ref);
        } else {
            mint(t, address(this), amount);
            if (t == address(usdt)) usdt.approve(address(split), amount);
            else usdc.approve(address(split), amount);
            split.payToken(t, amount, ref);
        }
        received[t] += amount;
    }

    function payByDeposit(uint8 token, uint96 amount, bytes32 ref) external {
        address t = tokenAt(token);
        address deposit = factory.depositAddress(address(split), ref);
        if (t == ETH) give(deposit, amount);
        else mint(t, deposit, amount);
        factory.sweep(address(split), ref, t);
        received[t] += amount;
    }

    function distribute(uint8 token) external {
        split.distribute(tokenAt(token));
    }

    /// @dev With any amount of gas, the call must either succeed completely or revert.
    function distributeMeanly(uint8 token, uint32 gas_) external {
        bytes memory data = abi.encodeCall(split.distribute, (tokenAt(token)));
        (bool done,) = address(split).call{gas: within(gas_, 10_000, 600_000)}(data);
        done;
    }

    function release(uint8 token, uint8 payee) external {
        releaseTo(tokenAt(token), payees[payee % payees.length]);
    }

    function changeMood(uint8 payee, bool refuses) external {
        MoodyRecipient(payable(payees[payee % payeesThatMayRefuse])).setRefuses(refuses);
    }

    function blockInToken(uint8 payee, bool blocked) external {
        usdt.setBlocked(payees[payee % payees.length], blocked);
    }

    function releaseTo(address token, address payee) public returns (bool done) {
        bytes memory data = token == ETH
            ? abi.encodeWithSignature("release(address)", payee)
            : abi.encodeWithSignature("release(address,address)", token, payee);
        (done,) = address(split).call{gas: 300_000}(data);
    }

    function calmDown() external {
        for (uint256 i; i < payees.length; ++i) {
            usdt.setBlocked(payees[i], false);
            if (i < payeesThatMayRefuse) MoodyRecipient(payable(payees[i])).setRefuses(false);
        }
    }

    function payeeCount() external view returns (uint256) {
        return payees.length;
    }

    function tokenAt(uint256 index) public view returns (address) {
        return index % 3 == 0 ? ETH : index % 3 == 1 ? address(usdc) : address(usdt);
    }

    function mint(address token, address to, uint256 amount) private {
        if (token == address(usdt)) usdt.mint(to, amount);
        else usdc.mint(to, amount);
    }
}

contract MerchantSplitInvariant {
    SplitHandler private handler = new SplitHandler();
    MerchantSplit private split = handler.split();

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handler), new bytes4[](8));
        targets[0].selectors[0] = SplitHandler.payPlainly.selector;
        targets[0].selectors[1] = SplitHandler.payUnderReference.selector;
        targets[0].selectors[2] = SplitHandler.payByDeposit.selector;
        targets[0].selectors[3] = SplitHandler.distribute.selector;
        targets[0].selectors[4] = SplitHandler.distributeMeanly.selector;
        targets[0].selectors[5] = SplitHandler.release.selector;
        targets[0].selectors[6] = SplitHandler.changeMood.selector;
        targets[0].selectors[7] = SplitHandler.blockInToken.selector;
    }

    function invariant_whatCameInIsHeldOrReleased() external view {
        for (uint256 t; t < 3; ++t) {
            address token = handler.tokenAt(t);
            vm.assertEq(held(token) + totalReleased(token), handler.received(token), "held + released");
        }
    }

    function invariant_whatEachWasReleasedAddsUp() external view {
        for (uint256 t; t < 3; ++t) {
            address token = handler.tokenAt(t);
            uint256 sum;
            for (uint256 i; i < handler.payeeCount(); ++i) {
                sum += released(token, handler.payees(i));
            }
            vm.assertEq(sum, totalReleased(token), "sum of released");
        }
    }

    function invariant_eachHasOrCanHaveItsPartOfAllThatCame() external view {
        for (uint256 t; t < 3; ++t) {
            address token = handler.tokenAt(t);
            uint256 due;
            for (uint256 i; i < handler.payeeCount(); ++i) {
                address payee = handler.payees(i);
                uint256 part = handler.received(token) * split.shares(payee) / 10_000;
                uint256 releasable = releasableBy(token, payee);
                vm.assertEq(released(token, payee) + releasable, part, "released + releasable");
                due += releasable;
            }
            vm.assertLe(due, held(token), "all that is due is there");
            vm.assertLe(held(token) - due, handler.payeeCount() - 1, "and less than one base unit a payee more");
        }
    }

    function invariant_eachCanClaimItsPartOnceItTakesMoney() external {
        uint256 snapshot = vm.snapshotState();
        handler.calmDown();
        for (uint256 t; t < 3; ++t) {
            address token = handler.tokenAt(t);
            for (uint256 i; i < handler.payeeCount(); ++i) {
                bool neverTakesEth = token == address(0) && i >= handler.payeeCount() - 2;
                address payee = handler.payees(i);
                if (neverTakesEth || releasableBy(token, payee) == 0) continue;
                vm.assertTrue(handler.releaseTo(token, payee), "claimed");
                vm.assertEq(releasableBy(token, payee), 0, "all of it");
            }
        }
        vm.revertToState(snapshot);
    }

    function held(address token) private view returns (uint256) {
        return token == address(0) ? address(split).balance : IERC20(token).balanceOf(address(split));
    }

    function totalReleased(address token) private view returns (uint256) {
        return token == address(0) ? split.totalReleased() : split.totalReleased(IERC20(token));
    }

    function released(address token, address payee) private view returns (uint256) {
        return token == address(0) ? split.released(payee) : split.released(IERC20(token), payee);
    }

    function releasableBy(address token, address payee) private view returns (uint256) {
        return token == address(0) ? split.releasable(payee) : split.releasable(IERC20(token), payee);
    }
}
